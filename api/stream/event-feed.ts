import {
  beforeTransaction,
  comparePositions,
  type EventPosition,
} from '../../shared/events/event-position.js';
import type { EventPage } from '../../shared/events/read-events.js';

/** Who wants each page as soon as it is read. */
export interface FeedReader {
  take(page: EventPage): void;
}

/** While committed events are held back by an older transaction, the feed looks this often, and this long after it was woken. */
const HELD_BACK_PAUSE_MS = 50;
const HELD_BACK_PATIENCE_MS = 1000;

/** Reads a tenant's new events once for all its readers that have caught up. */
export class EventFeed {
  private readonly readers = new Set<FeedReader>();
  /** Every reader here has had everything up to this position. */
  private tail = beforeTransaction(0n);
  private isReading = false;
  private isDue = false;
  private patientUntil = 0;
  private timer: NodeJS.Timeout | undefined;
  private wakes = 0;

  constructor(
    private readonly read: (after: EventPosition) => Promise<EventPage>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** How often it was woken: tells a reader whether something was committed while it read on its own. */
  get wakeCount(): number {
    return this.wakes;
  }

  /** Takes a reader in unless the feed has gone past its position: then it must read on by itself and try again. */
  join(reader: FeedReader, position: EventPosition): boolean {
    if (comparePositions(position, this.tail) < 0) return false;
    if (this.readers.size === 0) this.tail = position;
    this.readers.add(reader);
    return true;
  }

  leave(reader: FeedReader): void {
    this.readers.delete(reader);
    if (this.readers.size === 0) clearTimeout(this.timer);
  }

  /** Something was committed. */
  wake(): void {
    this.wakes += 1;
    this.patientUntil = Date.now() + HELD_BACK_PATIENCE_MS;
    this.look();
  }

  /** Looks whether there is something new. */
  look(): void {
    this.isDue = true;
    if (!this.isReading && this.readers.size > 0) void this.readOn();
  }

  private async readOn(): Promise<void> {
    this.isReading = true;
    clearTimeout(this.timer);
    let isHeldBack = false;
    try {
      let hasMore = false;
      do {
        this.isDue = false;
        const page = await this.read(this.tail);
        this.tail = page.position;
        ({ hasMore, isHeldBack } = page);
        // A reader that joined meanwhile knows a part of the page already, and one that leaves now is not asked again.
        for (const reader of [...this.readers]) reader.take(page);
      } while ((hasMore || this.isDue) && this.readers.size > 0);
    } catch (error) {
      this.onFailure(error);
    } finally {
      this.isReading = false;
    }
    if (isHeldBack && Date.now() < this.patientUntil && this.readers.size > 0)
      this.timer = setTimeout(() => this.look(), HELD_BACK_PAUSE_MS);
  }
}
