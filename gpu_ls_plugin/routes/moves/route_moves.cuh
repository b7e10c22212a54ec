// Moves of a customer next to another one, on linked lists of routes: relocations of one or two,
// swaps, 2-opt and 2-opt*. Each is evaluated in constant time by what is known of routes up to each
// node; of real lengths by estimates, and made where it gains more than these may be wrong by.
//
//   ... p c s ...   the customer and its neighbours
//   ... u v w ...   the one that it goes next to
#pragma once

#include "routes/moves/best_route_move.cuh"
#include "routes/moves/route_links.cuh"

namespace gls {

template <class Routes, bool symmetric>
struct RouteMoves {
  using City = typename Routes::City;
  using Length = typename Routes::Length;
  using Cost = typename Routes::Cost;
  using Time = typename Routes::Time;
  using Used = typename Routes::Used;
  using Rough = typename Routes::Rough;
  using Option = Rated<Rough>;

  const Routes& routes;
  const NearNodes& near;

  // Lets a customer begin a route, if there may be another one and that makes the routes cheaper.
  template <class Team, class Wake>
  GLS_DEVICE bool begin_route(const Team& team, int c, City* ends, Wake wake) const {
    const int p = routes.before(c), s = routes.after(c), route = routes.owner(c);
    const Length less = routes.detour(p, c, s), more = routes.detour(0, c, 0);
    const Used its = routes.whole(route), own = routes.alone(c);
    const Cost pays = routes.price({its.load - own.load, its.time - own.time - Time(less)}) +
                      routes.price({own.load, own.time + Time(more)}) - routes.price(its);
    const Cost value = Cost(more - less) + pays;
    if (value >= Cost(more * -1e-10) || routes.now.sizes[route] == 1) return false;
    routes.find_spare(team);
    const int spare = routes.totals.spare;
    if (spare < 0) return false;
    team.sync();
    team.once([&] {
      wake(p), wake(s), wake(c);
      routes.link(p, s);
      routes.link(routes.depot(spare), c), routes.link(c, routes.depot(spare));
      ends[0] = City(route), ends[1] = City(spare);
    });
    routes.settle(team, ends, value);
    return true;
  }

  // The best move of a customer that makes the routes cheaper; an index beyond all where there is
  // none.
  template <class Team>
  GLS_DEVICE Option best(const Team& team, int c) const {
    const Around its(routes, c);
    const Option none = no_move(its.before + its.after, routes.slack());
    return team.least(near.near_each, none, [&](int rank) {
      const int v = near(c, rank);
      return v == 0 || v == c ? none : best_beside(its, v, uint32(rank) * kRouteMoves, none);
    });
  }

  // One lane: makes a move, and says whose neighbours changed; returns the other route.
  template <class Wake>
  GLS_DEVICE int make(int c, uint32 move, Wake wake) const {
    const int v = near(c, int(move / kRouteMoves));
    const int other = routes.owner(v);
    wake(routes.before(c)), wake(routes.after(c));
    wake(routes.before(v)), wake(routes.after(v)), wake(v), wake(c);
    RouteLinks<Routes>{routes}.apply(RouteMove(move % kRouteMoves), c, v, wake);
    return other;
  }

 private:
  // What is known of a customer before others are looked at.
  struct Around {
    int c, p, s, route;
    Rough before, after, leaves;  // of its edges, and what the route grows by without it
    int pp, ss;
    Rough led, pair;  // the same without p and c, without c and s
    Cost pays;
    Used whole, own;

    GLS_DEVICE Around(const Routes& routes, int customer)
        : c(customer), p(routes.before(c)), s(routes.after(c)), route(routes.owner(c)) {
      before = routes.about(p, c), after = routes.about(c, s);
      leaves = routes.about(p, s) - before - after;
      pp = routes.before(p), ss = routes.after(s);
      led = routes.is_depot(p) ? 0 : routes.about(pp, s) - routes.about(pp, p) - before - after;
      pair = routes.is_depot(s) ? 0 : routes.about(p, ss) - before - after - routes.about(s, ss);
      whole = routes.whole(route), own = routes.alone(c);
      pays = routes.price(whole);
    }
  };

  GLS_DEVICE Option best_beside(const Around& its, int v, uint32 first, Option best) const {
    Beside beside(*this, its, v, first, best);
    beside.relocate();
    beside.swap();
    if (beside.within) {
      beside.turn();
    } else {
      beside.join_parts();
    }
    return beside.best;
  }

  // The moves of a customer next to another one, and the best of them so far.
  struct Beside {
    const RouteMoves& moves;
    const Routes& r;
    const Around& its;
    const int c, p, s, v, u, w;
    const bool within;  // one route
    const Used there;
    const Cost pays;
    const Rough cv, vc, uv, vw, sw, pw, us, up;
    const Rough behind, led;  // what a turn behind c adds, and one before it
    const uint32 first;       // number of the first move
    Option best;

    GLS_DEVICE Beside(const RouteMoves& moves, const Around& its, int v, uint32 first,
                      const Option& best)
        : moves(moves),
          r(moves.routes),
          its(its),
          c(its.c),
          p(its.p),
          s(its.s),
          v(v),
          u(r.before(v)),
          w(r.after(v)),
          within(r.owner(v) == its.route),
          there(r.whole(r.owner(v))),
          pays(its.pays + (within ? Cost(0) : r.price(there))),
          cv(r.about(c, v)),
          vc(symmetric ? cv : r.about(v, c)),
          uv(r.about(u, v)),
          vw(r.about(v, w)),
          sw(r.about(s, w)),
          pw(r.about(p, w)),
          us(r.about(u, s)),
          up(r.about(u, p)),
          behind(cv + sw - its.after - vw),
          led(cv + up - its.before - uv),
          first(first),
          best(best) {}

    // What is paid can only fall by what is paid now: most moves are told by lengths alone.
    GLS_DEVICE bool hopeless(Rough longer) const { return Cost(longer) - pays >= Cost(best.value); }
    GLS_DEVICE void offer(RouteMove move, Rough longer, Cost paid) {
      const Cost more = Cost(longer) + paid - pays;
      if (more < Cost(best.value)) best = rated<Rough>(more, first + move);
    }

    // Some customers of this route go to the other one, or stay in it.
    GLS_DEVICE void relocate(RouteMove move, Rough leaves, Rough comes, const Used& moved) {
      if (hopeless(leaves + comes)) return;
      if (within) return offer(move, leaves + comes, moves.paid_within(its, leaves + comes));
      const Used here{its.whole.load - moved.load, its.whole.time - moved.time + Time(leaves)};
      const Used then{there.load + moved.load, there.time + moved.time + Time(comes)};
      offer(move, leaves + comes, moves.due(here) + moves.due(then));
    }
    GLS_DEVICE void relocate() {
      if (v != p) relocate(kBehind, its.leaves, vc + r.about(c, w) - vw, its.own);
      if (v != s) relocate(kBefore, its.leaves, r.about(u, c) + cv - uv, its.own);
      if (!r.is_depot(s) && v != s) {
        const Used both = sum(its.own, r.alone(s));
        const Rough inside = its.after;
        if (v != p) relocate(kPairBehind, its.pair, vc + inside + sw - vw, both);
        if (symmetric && u != s) relocate(kPairBefore, its.pair, us + inside + cv - uv, both);
      }
      if (!r.is_depot(p) && v != p) {
        const Used both = sum(its.own, r.alone(p));
        const Rough inside = its.before;
        if (v != s) relocate(kLedBefore, its.led, up + inside + cv - uv, both);
        if (symmetric && w != p) relocate(kLedBehind, its.led, vc + inside + pw - vw, both);
      }
    }

    // The customer changes places with another one.
    GLS_DEVICE void swap(RouteMove move, int other, Rough here, Rough comes) {
      if (hopeless(here + comes)) return;
      if (within) return offer(move, here + comes, moves.paid_within(its, here + comes));
      const Used its_own = r.alone(other);
      const Used one{its.whole.load - its.own.load + its_own.load,
                     its.whole.time - its.own.time + its_own.time + Time(here)};
      const Used two{there.load + its.own.load - its_own.load,
                     there.time + its.own.time - its_own.time + Time(comes)};
      offer(move, here + comes, moves.due(one) + moves.due(two));
    }
    GLS_DEVICE void swap() {
      const Rough alone = -its.before - its.after;
      if (!r.is_depot(w) && w != c && w != p) {
        const int ww = r.after(w);
        swap(kSwapNext, w, alone + pw + (symmetric ? sw : r.about(w, s)),
             vc + r.about(c, ww) - vw - r.about(w, ww));
      }
      if (!r.is_depot(u) && u != c && u != s) {
        const int uu = r.before(u);
        swap(kSwapLast, u, alone + (symmetric ? up : r.about(p, u)) + us,
             r.about(uu, c) + cv - r.about(uu, u) - uv);
      }
    }

    // 2-opt within the route.
    GLS_DEVICE void turn() {
      if (!symmetric || v == s || v == p) return;
      if (!hopeless(behind)) offer(kTurnBehind, behind, moves.paid_within(its, behind));
      if (!hopeless(led)) offer(kTurnBefore, led, moves.paid_within(its, led));
    }

    // 2-opt*: parts a and b of the two routes become one, and so do d and e.
    GLS_DEVICE void join_parts(RouteMove move, Rough longer, const Used& a, Rough ab, const Used& b,
                               const Used& d, Rough de, const Used& e) {
      if (hopeless(longer)) return;
      offer(move, longer, moves.due(join(a, ab, b)) + moves.due(join(d, de, e)));
    }
    GLS_DEVICE void join_parts() {
      const Used to_c = r.up_to(c), to_p = r.up_to(p), to_v = r.up_to(v), to_u = r.up_to(u);
      const Used from_s = rest(its.whole, to_c, its.after),
                 from_c = rest(its.whole, to_p, its.before);
      const Used from_w = rest(there, to_v, vw), from_v = rest(there, to_u, uv);
      join_parts(kTailBehind, cv + us - its.after - uv, to_c, cv, from_v, to_u, us, from_s);
      join_parts(kTailBefore, vc + pw - its.before - vw, to_v, vc, from_c, to_p, pw, from_w);
      if (symmetric) {
        join_parts(kTurnBehind, behind, to_c, cv, to_v, from_s, sw, from_w);
        join_parts(kTurnBefore, led, to_p, up, to_u, from_c, cv, from_v);
      }
    }
  };

  // What a route would pay that uses so much: no less than it will.
  GLS_DEVICE Cost due(const Used& used) const {
    return routes.price({used.load, used.time + Time(routes.slack())});
  }
  GLS_DEVICE Cost paid_within(const Around& its, Rough longer) const {
    return Routes::kTimed ? due({its.whole.load, its.whole.time + Time(longer)}) : its.pays;
  }
  GLS_DEVICE static Used sum(const Used& a, const Used& b) {
    return {a.load + b.load, a.time + b.time};
  }
  // What a route uses behind a node and the edge that follows.
  GLS_DEVICE static Used rest(const Used& whole, const Used& head, Rough edge) {
    return {whole.load - head.load, whole.time - head.time - Time(edge)};
  }
  GLS_DEVICE static Used join(const Used& a, Rough edge, const Used& b) {
    return {a.load + b.load, a.time + Time(edge) + b.time};
  }
};

}  // namespace gls
