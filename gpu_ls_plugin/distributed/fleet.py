"""The connection between coordinator and workers, which carries orders out and events back."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pickle import PicklingError
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.distributed import tasks
from gpu_ls_plugin.distributed.watcher import topic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distributed import Client, Future

    from gpu_ls_plugin.distributed.messages import Order

LARGE = 2**20  # jobs of at least this many bytes bypass the scheduler
TICK = 0.1  # seconds to wait for an event
POLL = 0.3  # seconds between two checks of the workers


@dataclass(frozen=True)
class Event:
    """An event: a task has ended, the workers were checked, or a search has sent its state."""

    kind: str  # "done", "failed", "workers" or "seen"
    island: int  # -1 if the event concerns no island
    token: Any  # identifies the task; None if the event concerns no task
    content: Any  # result or error of the task, addresses of all workers, or state of a search


class Fleet:
    """Sends orders to workers and queues their answers; only `wait` and `events` block.

    The names of the tasks in Dask begin with `title`; `packed` is the pickled `Job`.
    """

    def __init__(self, client: Client, run: str, title: str, packed: bytes) -> None:
        self._client, self._run, self._title, self._packed = client, run, title, packed
        self._inbox: SimpleQueue[Event] = SimpleQueue()
        self._settled: set[tuple[str, int]] = set()
        self._futures: dict[int, Future] = {}
        self._tokens = 0
        self._closed = threading.Event()
        self.last_look = time.monotonic()
        client.subscribe_topic(topic(run), self._seen)
        threading.Thread(target=self._look, daemon=True).start()

    @property
    def closed(self) -> bool:
        """Whether the client has given up the connection to the scheduler."""
        return bool(self._client.status == "closed")

    def settle(self, island: int, worker: str) -> object:
        """Prepare a worker for an island; return the token of the resulting event."""
        self._settled.add((worker, island))
        return self._submit(
            island, worker, "settle", tasks.settle, self._job(worker), self._run, island
        )

    def send(self, order: Order, worker: str) -> object:
        """Send an order; return the token of the resulting event."""
        name = f"stretch-{order.number}"
        if (worker, order.island) in self._settled:
            return self._submit(order.island, worker, name, tasks.advance, order)
        self._settled.add((worker, order.island))
        return self._submit(order.island, worker, name, tasks.begin, self._job(worker), order)

    def collect(self, island: int, worker: str) -> object:
        """Ask for all rows of an island; return the token of the resulting event."""
        return self._submit(island, worker, "collect", tasks.collect, self._run, island)

    def forget(self, worker: str) -> None:
        """Record that a worker has lost its jobs."""
        self._settled = {(other, island) for other, island in self._settled if other != worker}

    def cancel(self, island: int) -> None:
        """Cancel the task of an island."""
        future = self._futures.pop(island, None)
        if future is not None:
            _quietly(lambda: future.cancel(force=True))

    def wait(self, seconds: float) -> Event | None:
        """Return the next event; None if none arrives in time."""
        try:
            return self._inbox.get(timeout=seconds)
        except Empty:
            return None

    def events(self, seconds: float, wanted: Callable[[], bool]) -> Iterator[Event]:
        """Yield events for at most `seconds`, as long as `wanted` returns True."""
        end = time.monotonic() + seconds
        while wanted() and time.monotonic() < end:
            event = self.wait(TICK)
            if event is not None:
                yield event

    def stop(self) -> None:
        """Let all searches of the run end after their current launch."""
        self._tell(tasks.stop)

    def close(self) -> None:
        """Let all workers forget the run."""
        self._closed.set()
        for island in list(self._futures):
            self.cancel(island)
        self._tell(tasks.leave)
        _quietly(lambda: self._client.unsubscribe_topic(topic(self._run)))

    def _tell(self, function: Callable[[str], object]) -> None:
        """Call a function with the run's name on all workers, without waiting."""
        if self._client.status == "running":
            call = self._client.run
            _quietly(lambda: call(function, self._run, wait=False, on_error="ignore"))

    def _job(self, worker: str) -> Any:
        if len(self._packed) < LARGE:
            return self._packed
        return self._client.scatter(self._packed, workers=[worker], hash=False)

    def _submit(self, island: int, worker: str, name: str, call: Any, *given: Any) -> object:
        self._tokens += 1
        token = self._tokens
        try:
            future = self._client.submit(
                call,
                *given,
                workers=[worker],
                allow_other_workers=False,
                pure=False,
                key=f"{self._title}-island-{island}-{name}-{self._run}.{token}",
            )
        except (TypeError, AttributeError, PicklingError):  # the arguments cannot be pickled
            raise
        except Exception as error:
            lost = ConnectionError(f"the scheduler or worker {worker} accepts no orders: {error}")
            self._inbox.put(Event("failed", island, token, lost))
            return token
        self._futures[island] = future
        future.add_done_callback(lambda done: self._done(island, token, done))
        return token

    def _done(self, island: int, token: object, future: Future) -> None:
        """Fetch a result in a new thread, because fetching blocks if the worker is lost."""
        fetch = threading.Thread(target=self._fetch, args=(island, token, future), daemon=True)
        fetch.start()

    def _fetch(self, island: int, token: object, future: Future) -> None:
        try:
            event = Event("done", island, token, future.result())
        except BaseException as error:  # raised by the task or by Dask, or a cancellation
            event = Event("failed", island, token, error)
        self._inbox.put(event)

    def _seen(self, event: tuple[float, dict[str, Any]]) -> None:
        _, content = event
        self._inbox.put(Event("seen", content["island"], None, content))

    def _look(self) -> None:
        """Check the workers every `POLL` seconds; runs in its own thread."""
        while not self._closed.wait(POLL):
            try:
                if self._client.status == "running":
                    present = list(self._client.nthreads())
                    self.last_look = time.monotonic()
                    self._inbox.put(Event("workers", -1, None, present))
            except Exception:  # the coordinator notices that `last_look` is old
                pass


def _quietly(call: Callable[[], object]) -> None:
    """Call a function that may fail because the cluster is gone."""
    with suppress(Exception):
        call()
