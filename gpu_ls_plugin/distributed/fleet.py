"""The workers of a cluster as the coordinator sees them: orders go out, events come in."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pickle import PicklingError
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.distributed import work
from gpu_ls_plugin.distributed.watcher import topic

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributed import Client, Future

    from gpu_ls_plugin.distributed.orders import Order

LARGE = 2**20  # bytes, from which a job goes to the worker and not through the scheduler's queue
POLL = 0.3  # seconds between two looks at the workers


@dataclass(frozen=True)
class Event:
    """What has happened: an island's task has ended, workers were looked at, a search was seen."""

    kind: str  # "done", "failed", "workers" or "seen"
    island: int  # -1 where it is of none
    token: Any  # of the task
    content: Any  # its result, its error, all workers' addresses, or what a search tells of itself


class Fleet:
    """Sends orders to workers and gathers what comes back, without anybody waiting.

    Tasks of the run are called by `title`; `packed` is the job as a pickle.
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
        """Whether the client has given up on the scheduler."""
        return bool(self._client.status == "closed")

    def settle(self, island: int, worker: str) -> object:
        """Prepare a worker for an island; return the token of the event to come."""
        self._settled.add((worker, island))
        return self._submit(
            island, worker, "settle", work.settle, self._job(worker), self._run, island
        )

    def send(self, order: Order, worker: str) -> object:
        """Let an island go on; return the token of the event to come."""
        name = f"stretch-{order.number}"
        if (worker, order.island) in self._settled:
            return self._submit(order.island, worker, name, work.advance, order)
        self._settled.add((worker, order.island))
        return self._submit(order.island, worker, name, work.begin, self._job(worker), order)

    def collect(self, island: int, worker: str) -> object:
        """Ask for all rows of an island; return the token of the event to come."""
        return self._submit(island, worker, "collect", work.collect, self._run, island)

    def forget(self, worker: str) -> None:
        """Take for granted that a worker knows nothing."""
        self._settled = {(other, island) for other, island in self._settled if other != worker}

    def cancel(self, island: int) -> None:
        """Let nothing come of an island's task."""
        future = self._futures.pop(island, None)
        if future is not None:
            _quietly(lambda: future.cancel(force=True))

    def wait(self, seconds: float) -> Event | None:
        """Return the next event, None where there is none in the time."""
        try:
            return self._inbox.get(timeout=seconds)
        except Empty:
            return None

    def stop(self) -> None:
        """Let all searches end at their next launch."""
        self._tell(work.stop)

    def close(self) -> None:
        """Let all workers forget the run."""
        self._closed.set()
        for island in list(self._futures):
            self.cancel(island)
        self._tell(work.leave)
        _quietly(lambda: self._client.unsubscribe_topic(topic(self._run)))

    def _tell(self, function: Callable[[str], object]) -> None:
        """Call a function of the run on all workers, without waiting for it."""
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
        except (TypeError, AttributeError, PicklingError):  # of what cannot travel
            raise
        except Exception as error:
            lost = ConnectionError(f"the scheduler, or worker {worker}, takes no orders: {error}")
            self._inbox.put(Event("failed", island, token, lost))
            return token
        self._futures[island] = future
        future.add_done_callback(lambda done: self._done(island, token, done))
        return token

    def _done(self, island: int, token: object, future: Future) -> None:
        """Fetch a result in a thread of its own: whoever holds it may be gone."""
        fetch = threading.Thread(target=self._fetch, args=(island, token, future), daemon=True)
        fetch.start()

    def _fetch(self, island: int, token: object, future: Future) -> None:
        try:
            event = Event("done", island, token, future.result())
        except BaseException as error:  # of the task, of Dask, or a task that was cancelled
            event = Event("failed", island, token, error)
        self._inbox.put(event)

    def _seen(self, event: tuple[float, dict[str, Any]]) -> None:
        _, content = event
        self._inbox.put(Event("seen", content["island"], None, content))

    def _look(self) -> None:
        """Look at the workers again and again, in a thread of its own."""
        while not self._closed.wait(POLL):
            try:
                if self._client.status == "running":
                    present = list(self._client.nthreads())
                    self.last_look = time.monotonic()
                    self._inbox.put(Event("workers", -1, None, present))
            except Exception:  # which `last_look` tells of
                pass


def _quietly(call: Callable[[], object]) -> None:
    """Call something that fails where the cluster is gone, which is known already."""
    with suppress(Exception):
        call()
