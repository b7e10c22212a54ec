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

  static constexpr int kListed = 64;  // maximum number of moves in a list

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
    if constexpr (Routes::kMore) {
      return best_of_listed(team, its, none);
    } else {
      return team.least(near.near_each, none, [&](int rank) {
        const int v = near(c, rank);
        if (v == 0 || v == c) return none;
        const Beside beside(*this, its, v);
        Option best = none;
        beside.template consider_all<kBehind>(index_of(rank, kBehind), best);
        return best;
      });
    }
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

  // The moves that lanes have listed: the rank of v and the move.
  struct Listed {
    uint16 moves[kListed];
  };

  GLS_DEVICE static uint32 index_of(int rank, RouteMove move) {
    return uint32(rank) * kRouteMoves + move;
  }

  // The same as best() if there are further resources. Few moves are short enough, and only these
  // take long to evaluate; so lanes list them first and then share them.
  template <class Team>
  GLS_DEVICE Option best_of_listed(const Team& team, const Around& its, const Option& none) const {
    uint16* const listed = shared_slot<Listed>(team).moves;
    Option best = none;
#pragma unroll 1
    for (int first = 0; first < near.near_each; first += Team::kLanes) {
      const int rank = first + team.lane(), v = rank < near.near_each ? near(its.c, rank) : 0;
      uint32 moves = 0;  // one bit for each move
      if (v != 0 && v != its.c) {
        const Beside beside(*this, its, v);
        moves = beside.template gaining<kBehind>(none);
      }
      int more = 0;
      do {
        const Compacted own = team.stacked(bits_in(moves));
        for (int place = own.place; moves != 0 && place < kListed; ++place, moves &= moves - 1) {
          listed[place] = uint16(index_of(rank, RouteMove(lowest_bit(moves))));
        }
        team.sync();
        more = own.total - kListed;
        team.each(more < 0 ? own.total : kListed, [&](int place) {
          const uint32 index = listed[place];
          const Beside beside(*this, its, near(its.c, int(index / kRouteMoves)));
          beside.consider(RouteMove(index % kRouteMoves), index, best);
        });
        team.sync();
      } while (more > 0);
    }
    return team.least(best);
  }

  // The moves of c next to v.
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

    GLS_DEVICE Beside(const RouteMoves& moves, const Around& its, int v)
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
          turn_before(cv + up - its.before - uv) {}

    // The moves from `move` on, as bits, that may beat another one if what they pay for further
    // resources is left out.
    template <RouteMove move>
    GLS_DEVICE uint32 gaining(const Option& best) const {
      const uint32 bit = uint32(may_gain(move, best)) << move;
      if constexpr (move < kTurnBefore) {
        return bit | gaining<RouteMove(move + 1)>(best);
      } else {
        return bit;
      }
    }
    // Notes the best of the moves from `move` on; `index` is that of the first one.
    template <RouteMove move>
    GLS_DEVICE void consider_all(uint32 index, Option& best) const {
      consider(move, index, best);
      if constexpr (move < kTurnBefore) consider_all<RouteMove(move + 1)>(index + 1, best);
    }
    // Notes a move if it is the best so far.
    GLS_DEVICE void consider(RouteMove move, uint32 index, Option& best) const {
      const Change change = change_by(move);
      if (!change.possible || hopeless(change, best)) return;
      Cost due = paid(move, change) - pays;
      if constexpr (Routes::kMore) {
        if (Cost(change.longer()) + due < Cost(best.value)) due += others(move);
      }
      const Cost more = Cost(change.longer()) + due;
      if (more < Cost(best.value) && r.allows(due)) best = rated<Rough>(more, index);
    }

   private:
    // Whether a move is possible, and how much longer it makes the route of c and that of v. If
    // they are the same or exchange their parts, only the sum counts.
    struct Change {
      bool possible;
      Rough here, there;

      GLS_DEVICE Rough longer() const { return here + there; }
    };

    GLS_DEVICE bool may_gain(RouteMove move, const Option& best) const {
      const Change change = change_by(move);
      if (!change.possible || hopeless(change, best)) return false;
      return Cost(change.longer()) + (paid(move, change) - pays) < Cost(best.value);
    }
    // Whether a move cannot be the best: it saves at most what the routes pay for violations now.
    // This rules out most moves.
    GLS_DEVICE bool hopeless(const Change& change, const Option& best) const {
      return Cost(change.longer()) - pays >= Cost(best.value);
    }

    GLS_DEVICE Change change_by(RouteMove move) const {
      const bool pair = !r.is_depot(s) && v != s, led = !r.is_depot(p) && v != p;
      switch (move) {
        case kBehind:
          return {v != p, its.without_c, vc + r.about(c, w) - vw};
        case kBefore:
          return {v != s, its.without_c, r.about(u, c) + cv - uv};
        case kPairBehind:
          return {pair && v != p, its.without_cs, vc + its.after + sw - vw};
        case kPairBefore:
          return {symmetric && pair && u != s, its.without_cs, us + its.after + cv - uv};
        case kLedBefore:
          return {led && v != s, its.without_pc, up + its.before + cv - uv};
        case kLedBehind:
          return {symmetric && led && w != p, its.without_pc, vc + its.before + pw - vw};
        case kSwapNext: {
          if (r.is_depot(w) || w == c || w == p) return {false, 0, 0};
          const int ww = r.after(w);
          return {true, -its.before - its.after + pw + (symmetric ? sw : r.about(w, s)),
                  vc + r.about(c, ww) - vw - r.about(w, ww)};
        }
        case kSwapLast: {
          if (r.is_depot(u) || u == c || u == s) return {false, 0, 0};
          const int uu = r.before(u);
          return {true, -its.before - its.after + (symmetric ? up : r.about(p, u)) + us,
                  r.about(uu, c) + cv - r.about(uu, u) - uv};
        }
        case kTailBehind:
          return {!within, cv + us - its.after - uv, 0};
        case kTailBefore:
          return {!within, vc + pw - its.before - vw, 0};
        default:
          return {symmetric && !(within && (v == s || v == p)),
                  move == kTurnBehind ? turn_behind : turn_before, 0};
      }
    }

    // Upper bound on what the routes pay for load and duration after a move.
    GLS_DEVICE Cost paid(RouteMove move, const Change& change) const {
      if (within) return moves.paid_within(its, change.longer());
      if (move <= kSwapLast) {
        Used leaves = its.own, comes{0, 0};
        if (move == kSwapNext || move == kSwapLast) comes = r.alone(partner(move));
        if (move == kPairBehind || move == kPairBefore) leaves = sum(leaves, r.alone(s));
        if (move == kLedBefore || move == kLedBehind) leaves = sum(leaves, r.alone(p));
        const Used one{its.whole.load - leaves.load + comes.load,
                       its.whole.time - leaves.time + comes.time + Time(change.here)};
        const Used two{there.load + leaves.load - comes.load,
                       there.time + leaves.time - comes.time + Time(change.there)};
        return moves.due(one) + moves.due(two);
      }
      const Used to_c = r.up_to(c), to_p = r.up_to(p), to_v = r.up_to(v), to_u = r.up_to(u);
      const Used from_s = rest(its.whole, to_c, its.after),
                 from_c = rest(its.whole, to_p, its.before);
      const Used from_w = rest(there, to_v, vw), from_v = rest(there, to_u, uv);
      switch (move) {
        case kTailBehind:
          return moves.due(to_c, cv, from_v) + moves.due(to_u, us, from_s);
        case kTailBefore:
          return moves.due(to_v, vc, from_c) + moves.due(to_p, pw, from_w);
        case kTurnBehind:
          return moves.due(to_c, cv, to_v) + moves.due(from_s, sw, from_w);
        default:
          return moves.due(to_p, up, to_u) + moves.due(from_c, cv, from_v);
      }
    }

    // The customer with which c changes places.
    GLS_DEVICE int partner(RouteMove move) const { return move == kSwapNext ? w : u; }

    // The price of further resources of the routes after a move.
    GLS_DEVICE Cost others(RouteMove move) const {
      NewRoute one, two;
      if (move <= kLedBehind) {
        relocated(move, one, two);
      } else if (move <= kSwapLast) {
        swapped(partner(move), one, two);
      } else if (within) {
        turned(move, one);
      } else {
        joined(move, one, two);
      }
      Cost sum = 0;
#pragma unroll 1
      for (bool last = within;; last = true, one = two) {
        sum += RoutePath<Routes>::price(r, one);
        if (last) return sum;
      }
    }
    // The customers x and y, which may be the same, go between a and b.
    GLS_DEVICE void relocated(RouteMove move, NewRoute& one, NewRoute& two) const {
      const bool pair = move == kPairBehind || move == kPairBefore;
      const int other = pair ? s : move <= kBefore ? c : p;
      const bool behind = move == kBehind || move == kPairBehind || move == kLedBehind;
      const int a = behind ? v : u, b = behind ? w : v;
      const int x = behind ? c : other, y = behind ? other : c;
      const bool ahead = r.after(x) == y || x == y;
      const int front = r.before(ahead ? x : y), end = r.after(ahead ? y : x);
      const Stretch both(x, y, !ahead);
      if (!within) {
        one.head = front, one.tail = end;
        two.head = a, two.stretches[0] = both, two.tail = b;
      } else if (r.place(a) < r.place(c)) {
        one.head = a, one.stretches[0] = both, one.stretches[1] = Stretch(b, front), one.tail = end;
      } else {
        one.head = front, one.stretches[0] = Stretch(end, a), one.stretches[1] = both, one.tail = b;
      }
    }
    GLS_DEVICE void swapped(int other, NewRoute& one, NewRoute& two) const {
      if (!within) {
        one.head = p, one.stretches[0] = Stretch(other), one.tail = s;
        two.head = r.before(other), two.stretches[0] = Stretch(c), two.tail = r.after(other);
        return;
      }
      const bool leads = r.place(c) < r.place(other);
      const int a = leads ? c : other, b = leads ? other : c;
      one.head = r.before(a), one.stretches[0] = Stretch(b);
      one.stretches[1] = Stretch(r.after(a), r.before(b));
      one.stretches[2] = Stretch(a), one.tail = r.after(b);
    }
    // 2-opt: the nodes between a and b are turned.
    GLS_DEVICE void turned(RouteMove move, NewRoute& one) const {
      const bool leads = r.place(c) < r.place(v), behind = move == kTurnBehind;
      const int a = behind ? (leads ? c : v) : leads ? p : u;
      const int b = behind ? (leads ? w : s) : leads ? v : c;
      one.head = a, one.stretches[0] = Stretch(r.before(b), r.after(a), true), one.tail = b;
    }
    // 2-opt*: parts of the two routes are joined in another way.
    GLS_DEVICE void joined(RouteMove move, NewRoute& one, NewRoute& two) const {
      const bool turns = move >= kTurnBehind, behind = move == kTailBehind || move == kTurnBehind;
      if (turns) {
        one.head = behind ? c : p, one.tail = behind ? v : u, one.tail_turned = true;
        two.head = behind ? s : c, two.tail = behind ? w : v, two.head_turned = true;
      } else {
        one.head = behind ? c : v, one.tail = behind ? v : c;
        two.head = behind ? u : p, two.tail = behind ? s : w;
      }
    }
  };

  // Upper bound on what a route with this load and estimated duration pays.
  GLS_DEVICE Cost due(const Used& used) const {
    return routes.price({used.load, used.time + Time(routes.slack())});
  }
  // The same for two parts of routes and the edge between them.
  GLS_DEVICE Cost due(const Used& a, Rough edge, const Used& b) const {
    return due({a.load + b.load, a.time + Time(edge) + b.time});
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
