// Moves of a customer next to another one, on linked lists of routes: relocations of one or two
// customers, swaps, 2-opt and 2-opt*. An evaluation takes constant time, since loads and durations
// up to each node are known. Real lengths are estimated; a move is made if its gain exceeds the
// error bound of the estimate.
//
//   ... p c s ...   the customer c and its neighbours
//   ... u v w ...   the customer v next to which c goes, and its neighbours
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

  // Lets a customer begin a new route if the fleet allows it and the cost decreases.
  template <class Team, class Wake>
  GLS_DEVICE bool begin_route(const Team& team, int c, City* ends, Wake wake) const {
    const int p = routes.before(c), s = routes.after(c), route = routes.owner(c);
    const Length less = routes.detour(p, c, s), more = routes.detour(0, c, 0);
    const Used its = routes.whole(route), own = routes.alone(c);
    Cost pays = routes.price({its.load - own.load, its.time - own.time - Time(less)}) +
                routes.price({own.load, own.time + Time(more)}) - routes.dues(route);
    if constexpr (Routes::kMore) {
      pays += routes.path(p).end(s) + routes.path(routes.depot(0)).visit(c).end(routes.depot(0));
    }
    const Cost value = Cost(more - less) + pays;
    if (value >= Cost(more * -1e-10) || routes.now.sizes[route] == 1) return false;
    if (!routes.allows(pays)) return false;
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

  // The best improving move of a customer; its index is 0xffffffff if there is no such move.
  template <class Team>
  GLS_DEVICE Option best(const Team& team, int c) const {
    const Around its(routes, c);
    const Option none = no_move(its.before + its.after, routes.slack());
    return team.least(near.near_each, none, [&](int rank) {
      const int v = near(c, rank);
      return v == 0 || v == c ? none : best_beside(its, v, uint32(rank) * kRouteMoves, none);
    });
  }

  // Called by one lane: makes a move, calls wake(node) for nodes whose neighbours change, and
  // returns the route of the other customer.
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
  // Data of a customer that do not depend on the customer next to which it goes.
  struct Around {
    int c, p, s, route;
    Rough before, after;                      // lengths of the edges (p, c) and (c, s)
    Rough without_c, without_pc, without_cs;  // how much longer the route is without these nodes
    Cost pays;                                // price of the violations of the route
    Used whole, own;  // load and duration of the route, and of the customer alone

    GLS_DEVICE Around(const Routes& r, int customer)
        : c(customer), p(r.before(c)), s(r.after(c)), route(r.owner(c)) {
      before = r.about(p, c), after = r.about(c, s);
      without_c = r.about(p, s) - before - after;
      const int pp = r.before(p), ss = r.after(s);
      without_pc = r.is_depot(p) ? 0 : r.about(pp, s) - r.about(pp, p) - before - after;
      without_cs = r.is_depot(s) ? 0 : r.about(p, ss) - before - after - r.about(s, ss);
      whole = r.whole(route), own = r.alone(c);
      pays = r.dues(route);
    }
  };

  // Two parts of routes and the edge that joins them.
  struct Joined {
    const Used& a;
    Rough edge;
    const Used& b;

    GLS_DEVICE Used used() const { return {a.load + b.load, a.time + Time(edge) + b.time}; }
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

  // The moves of c next to v, and the best of them so far. cv is the length from c to v, etc.
  struct Beside {
    const RouteMoves& moves;
    const Routes& r;
    const Around& its;
    const int c, p, s, v, u, w;
    const bool within;  // whether c and v are in the same route
    const Used there;
    const Cost pays;
    const Rough cv, vc, uv, vw, sw, pw, us, up;
    const Rough turn_behind, turn_before;  // length that kTurnBehind and kTurnBefore add
    const uint32 first;                    // index of the first move of c next to v
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
          pays(its.pays + (within ? Cost(0) : r.dues(r.owner(v)))),
          cv(r.about(c, v)),
          vc(symmetric ? cv : r.about(v, c)),
          uv(r.about(u, v)),
          vw(r.about(v, w)),
          sw(r.about(s, w)),
          pw(r.about(p, w)),
          us(r.about(u, s)),
          up(r.about(u, p)),
          turn_behind(cv + sw - its.after - vw),
          turn_before(cv + up - its.before - uv),
          first(first),
          best(best) {}

    // Whether a move that adds this length cannot be the best: it saves at most what the routes pay
    // for violations now. This rules out most moves.
    GLS_DEVICE bool hopeless(Rough longer) const { return Cost(longer) - pays >= Cost(best.value); }
    // Notes a move if it is the best so far. The new routes pay `paid` for load and duration, and
    // others() for other resources.
    template <class Others>
    GLS_DEVICE void offer(RouteMove move, Rough longer, Cost paid, Others others) {
      Cost due = paid - pays;
      if constexpr (Routes::kMore) {
        if (Cost(longer) + due < Cost(best.value)) due += others();
      }
      const Cost more = Cost(longer) + due;
      if (more < Cost(best.value) && r.allows(due)) best = rated<Rough>(more, first + move);
    }

    // Evaluates moving customers to the other route, or within this one: x and then y, which may be
    // the same, go between a and b. Removing them changes the length by `out`, inserting them by
    // `in`.
    GLS_DEVICE void relocate(RouteMove move, Rough out, Rough in, const Used& moved, int x, int y,
                             int a, int b) {
      if (hopeless(out + in)) return;
      const auto others = [&] { return relocated(x, y, a, b); };
      if (within) return offer(move, out + in, moves.paid_within(its, out + in), others);
      const Used here{its.whole.load - moved.load, its.whole.time - moved.time + Time(out)};
      const Used then{there.load + moved.load, there.time + moved.time + Time(in)};
      offer(move, out + in, moves.due(here) + moves.due(then), others);
    }
    // The price of other resources after this move.
    GLS_DEVICE Cost relocated(int x, int y, int a, int b) const {
      const bool ahead = r.after(x) == y || x == y;
      const int front = r.before(ahead ? x : y), end = r.after(ahead ? y : x);
      const auto visit = [&](auto path) {
        path.visit(x);
        if (x != y) path.visit(y);
        return path;
      };
      if (!within) return r.path(front).end(end) + visit(r.path(a)).end(b);
      if (r.place(a) < r.place(c)) return visit(r.path(a)).walk(b, front).end(end);
      return visit(r.path(front).walk(end, a)).end(b);
    }
    GLS_DEVICE void relocate() {
      if (v != p) relocate(kBehind, its.without_c, vc + r.about(c, w) - vw, its.own, c, c, v, w);
      if (v != s) relocate(kBefore, its.without_c, r.about(u, c) + cv - uv, its.own, c, c, u, v);
      if (!r.is_depot(s) && v != s) {
        const Used both = sum(its.own, r.alone(s));
        const Rough out = its.without_cs, inside = its.after;
        if (v != p) relocate(kPairBehind, out, vc + inside + sw - vw, both, c, s, v, w);
        if (symmetric && u != s) {
          relocate(kPairBefore, out, us + inside + cv - uv, both, s, c, u, v);
        }
      }
      if (!r.is_depot(p) && v != p) {
        const Used both = sum(its.own, r.alone(p));
        const Rough out = its.without_pc, inside = its.before;
        if (v != s) relocate(kLedBefore, out, up + inside + cv - uv, both, p, c, u, v);
        if (symmetric && w != p) relocate(kLedBehind, out, vc + inside + pw - vw, both, c, p, v, w);
      }
    }

    // Evaluates exchanging c and a customer `other`, which changes the length by `at_c` at the
    // place of c and by `at_other` at the place of `other`.
    GLS_DEVICE void swap(RouteMove move, int other, Rough at_c, Rough at_other) {
      if (hopeless(at_c + at_other)) return;
      const auto dues = [&] { return swapped(other); };
      if (within)
        return offer(move, at_c + at_other, moves.paid_within(its, at_c + at_other), dues);
      const Used others = r.alone(other);
      const Used one{its.whole.load - its.own.load + others.load,
                     its.whole.time - its.own.time + others.time + Time(at_c)};
      const Used two{there.load + its.own.load - others.load,
                     there.time + its.own.time - others.time + Time(at_other)};
      offer(move, at_c + at_other, moves.due(one) + moves.due(two), dues);
    }
    GLS_DEVICE Cost swapped(int other) const {
      if (!within) {
        return r.path(p).visit(other).end(s) + r.path(r.before(other)).visit(c).end(r.after(other));
      }
      const bool leads = r.place(c) < r.place(other);
      const int a = leads ? c : other, b = leads ? other : c;
      return r.path(r.before(a)).visit(b).walk(r.after(a), r.before(b)).visit(a).end(r.after(b));
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

    // Evaluates 2-opt within the route.
    GLS_DEVICE void turn() {
      if (!symmetric || v == s || v == p) return;
      // The nodes between a and b are turned.
      const auto turn = [&](RouteMove move, Rough longer, int a, int b) {
        if (hopeless(longer)) return;
        offer(move, longer, moves.paid_within(its, longer),
              [&] { return r.path(a).walk_back(r.before(b), r.after(a)).end(b); });
      };
      const bool leads = r.place(c) < r.place(v);
      turn(kTurnBehind, turn_behind, leads ? c : v, leads ? w : s);
      turn(kTurnBefore, turn_before, leads ? p : u, leads ? v : c);
    }

    // Evaluates 2-opt*, which joins the parts of the two routes in another way.
    template <class Others>
    GLS_DEVICE void join_parts(RouteMove move, Rough longer, const Joined& one, const Joined& two,
                               Others others) {
      if (hopeless(longer)) return;
      offer(move, longer, moves.due(one.used()) + moves.due(two.used()), others);
    }
    GLS_DEVICE void join_parts() {
      const Used to_c = r.up_to(c), to_p = r.up_to(p), to_v = r.up_to(v), to_u = r.up_to(u);
      const Used from_s = rest(its.whole, to_c, its.after),
                 from_c = rest(its.whole, to_p, its.before);
      const Used from_w = rest(there, to_v, vw), from_v = rest(there, to_u, uv);
      join_parts(kTailBehind, cv + us - its.after - uv, {to_c, cv, from_v}, {to_u, us, from_s},
                 [&] { return r.path(c).end(v) + r.path(u).end(s); });
      join_parts(kTailBefore, vc + pw - its.before - vw, {to_v, vc, from_c}, {to_p, pw, from_w},
                 [&] { return r.path(v).end(c) + r.path(p).end(w); });
      if constexpr (symmetric) {
        join_parts(kTurnBehind, turn_behind, {to_c, cv, to_v}, {from_s, sw, from_w},
                   [&] { return r.path(c).go_back(v) + r.turned(s).end(w); });
        join_parts(kTurnBefore, turn_before, {to_p, up, to_u}, {from_c, cv, from_v},
                   [&] { return r.path(p).go_back(u) + r.turned(c).end(v); });
      }
    }
  };

  // Upper bound on what a route with this load and estimated duration pays.
  GLS_DEVICE Cost due(const Used& used) const {
    return routes.price({used.load, used.time + Time(routes.slack())});
  }
  GLS_DEVICE Cost paid_within(const Around& its, Rough longer) const {
    if (Routes::kTimed) return due({its.whole.load, its.whole.time + Time(longer)});
    return Routes::kMore ? routes.price(its.whole) : its.pays;
  }
  GLS_DEVICE static Used sum(const Used& a, const Used& b) {
    return {a.load + b.load, a.time + b.time};
  }
  // Load and duration of the rest of a route, after its `head` and the edge that follows.
  GLS_DEVICE static Used rest(const Used& whole, const Used& head, Rough edge) {
    return {whole.load - head.load, whole.time - head.time - Time(edge)};
  }
};

}  // namespace gls
