// How the moves of route_moves.cuh change linked lists of routes.
//
//   ... p c s ...   the customer c and its neighbours
//   ... u v w ...   the customer v next to which c goes, and its neighbours
#pragma once

#include "routes/kernels/linked_routes.cuh"

namespace gls {

enum RouteMove : uint32 {
  kBehind,
  kBefore,  // c goes after or before v
  kPairBehind,
  kPairBefore,  // c and s go after or before v, and c is next to v
  kLedBefore,
  kLedBehind,  // p and c go before or after v, and c is next to v
  kSwapNext,
  kSwapLast,  // c and w, or c and u, change places
  kTailBehind,
  kTailBefore,  // 2-opt*: v follows c, or c follows v
  kTurnBehind,
  kTurnBefore,      // 2-opt* with two parts reversed; 2-opt if c and v share a route
  kRouteMoves = 16  // number of moves reserved for a pair of c and v
};

// Called by one lane: links nodes for a move. Calls wake(node) for nodes whose neighbours change,
// except for the nodes in the diagram above.
template <class Routes>
struct RouteLinks {
  const Routes& r;

  template <class Wake>
  GLS_DEVICE void apply(RouteMove move, int c, int v, Wake wake) const {
    if (move <= kLedBehind) {
      relocate(move, c, v, wake);
    } else if (move <= kSwapLast) {
      swap(move, c, v, wake);
    } else if (move <= kTailBefore) {
      move == kTailBehind ? exchange_tails(c, v) : exchange_tails(v, c);
    } else {
      turn_parts(move, c, v);
    }
  }

 private:
  template <class Wake>
  GLS_DEVICE void relocate(RouteMove move, int c, int v, Wake wake) const {
    const int p = r.before(c), s = r.after(c), pp = r.before(p), ss = r.after(s);
    const bool pair = move == kPairBehind || move == kPairBefore;
    const bool led = move == kLedBefore || move == kLedBehind;
    if (pair) wake(ss);
    if (led) wake(pp);
    r.link(led ? pp : p, pair ? ss : s);
    const bool behind = move == kBehind || move == kPairBehind || move == kLedBehind;
    const int a = behind ? v : r.before(v), b = behind ? r.after(v) : v;
    // The node of the pair that is not c; c itself if c moves alone.
    const int other = pair ? s : led ? p : c;
    const int first = behind ? c : other, last = behind ? other : c;
    if (first != last) r.link(first, last);
    r.link(a, first), r.link(last, b);
  }

  template <class Wake>
  GLS_DEVICE void swap(RouteMove move, int c, int v, Wake wake) const {
    const bool next = move == kSwapNext;
    const int p = r.before(c), s = r.after(c), other = next ? r.after(v) : r.before(v);
    const int before = r.before(other), after = r.after(other);  // one of them is v
    wake(next ? after : before);
    r.link(p, other), r.link(other, s), r.link(before, c), r.link(c, after);
  }

  // 2-opt*: afterwards, v follows c.
  GLS_DEVICE void exchange_tails(int c, int v) const {
    const int s = r.after(c), u = r.before(v);
    const int here = r.depot(r.owner(c)), there = r.depot(r.owner(v));
    const int last = r.before(here), their_last = r.before(there);
    r.link(c, v), r.link(their_last, here);
    if (s == here) {
      r.link(u, there);
    } else {
      r.link(u, s), r.link(last, there);
    }
  }

  GLS_DEVICE void turn_parts(RouteMove move, int c, int v) const {
    const int p = r.before(c), s = r.after(c), u = r.before(v), w = r.after(v);
    const int here = r.depot(r.owner(c)), there = r.depot(r.owner(v));
    if (here == there) {
      const bool leads = r.place(c) < r.place(v);
      if (move == kTurnBehind) {
        leads ? turn(c, s, v, w) : turn(v, w, c, s);
      } else {
        leads ? turn(p, c, u, v) : turn(u, v, p, c);
      }
      return;
    }
    const int last = r.before(here), their_first = r.after(there);
    if (move == kTurnBehind) {
      turn(c, their_first, v, here);
      s == here ? r.link(there, w) : turn(there, s, last, w);
    } else {
      u == there ? r.link(p, here) : turn(p, their_first, u, here);
      turn(there, c, last, v);
    }
  }

  // Puts the nodes from `first` to `last` between a and b, in reverse order.
  GLS_DEVICE void turn(int a, int first, int last, int b) const {
    int before = a, node = last;
#pragma unroll 1
    while (true) {
      const int next = r.before(node);
      r.link(before, node);
      before = node;
      if (node == first) break;
      node = next;
    }
    r.link(before, b);
  }
};

}  // namespace gls
