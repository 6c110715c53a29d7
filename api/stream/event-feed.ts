import {
  comparePositions,
  type EventPosition,
  positionBeforeTransaction,
} from '../../shared/events/event-position.js';
import type { EventPage } from '../../shared/events/read-events.js';

/** A page with a consistency token for its events; without a token if there is no replica. */
export interface FeedPage extends EventPage {
  token: string | undefined;
}

/** A reader gets each page of events as soon as the feed has read the page. */
export interface EventFeedReader {
  receivePage(page: FeedPage): void;
}

/**
 * The feed withholds committed events while an older transaction is open. It then reads again every
 * WITHHELD_PAUSE_MS, until WITHHELD_RETRY_MS after the last call of `wake`.
 */
const WITHHELD_PAUSE_MS = 50;
const WITHHELD_RETRY_MS = 1000;

/** Reads a tenant's new events once for all readers that have caught up. */
export class EventFeed {
  private readonly readers = new Set<EventFeedReader>();
  /** All readers of the feed have received all events up to this position. */
  private tail = positionBeforeTransaction(0n);
  private isReading = false;
  private isDue = false;
  private retryUntilMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private wakes = 0;

  constructor(
    private readonly read: (after: EventPosition) => Promise<FeedPage>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /**
   * Number of calls of `wake`. If the number grows during a reader's own read, events were
   * committed during that read.
   */
  get wakeCount(): number {
    return this.wakes;
  }

  /**
   * Adds a reader that has received all events up to `position`. Returns false if the feed is
   * already past this position. The reader must then read the missing events itself, and join
   * again.
   */
  join(reader: EventFeedReader, position: EventPosition): boolean {
    if (comparePositions(position, this.tail) < 0) return false;
    if (this.readers.size === 0) this.tail = position;
    this.readers.add(reader);
    return true;
  }

  leave(reader: EventFeedReader): void {
    this.readers.delete(reader);
    if (this.readers.size === 0) clearTimeout(this.timer);
  }

  /** Call this after every commit that added events of the tenant. */
  wake(): void {
    this.wakes += 1;
    this.retryUntilMs = Date.now() + WITHHELD_RETRY_MS;
    this.requestRead();
  }

  /** Reads new events immediately or, if a read is running, directly after it. */
  requestRead(): void {
    this.isDue = true;
    if (!this.isReading && this.readers.size > 0) void this.readPages();
  }

  private async readPages(): Promise<void> {
    this.isReading = true;
    clearTimeout(this.timer);
    let hasWithheldEvents = false;
    try {
      let hasMore = false;
      do {
        this.isDue = false;
        const page = await this.read(this.tail);
        this.tail = page.position;
        ({ hasMore, hasWithheldEvents } = page);
        // A reader that joined during the read may already have some events of this page, and skips
        // them. Loop over a copy: a reader that leaves and joins again inside the loop would
        // otherwise receive the page twice.
        for (const reader of [...this.readers]) reader.receivePage(page);
      } while ((hasMore || this.isDue) && this.readers.size > 0);
    } catch (error) {
      this.onFailure(error);
    } finally {
      this.isReading = false;
    }
    if (hasWithheldEvents && Date.now() < this.retryUntilMs && this.readers.size > 0)
      this.timer = setTimeout(() => this.requestRead(), WITHHELD_PAUSE_MS);
  }
}
