import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type EventPosition, formatPosition } from '../../shared/events/event-position.js';
import { matchesType } from '../../shared/events/event-types.js';
import type { EventPage, StoredEvent } from '../../shared/events/read-events.js';
import type { EventFeed, FeedReader } from './event-feed.js';

/** What EventSource waits before it connects again. */
const RETRY_MS = 2000;
/** Proxies cut what is silent for a minute, some for half of one. */
const PING_MS = 15_000;
const READ_AGAIN_MS = 1000;
/** A client that no longer reads would keep the end of its answer, and with it a shutdown, waiting. */
const END_PATIENCE_MS = 500;

export interface EventStreamOptions {
  tenantId: string;
  /** Of the key or the person: has so many streams at most. */
  keyId: string;
  /** Of the key or the session: ends with it, whatever other sessions its person has. */
  credentialId: string;
  /** Behind which event it starts. */
  position: EventPosition;
  /** Filters; none lets everything through. */
  types: string[];
  /** False once the credential may no longer do this. */
  isAllowed: () => Promise<boolean>;
  response: ServerResponse;
}

/** Where a stream gets its events. */
export interface EventSource {
  feed: EventFeed;
  read: (after: EventPosition) => Promise<EventPage>;
  /**
   * False while the tenant's clients have too much to read; nothing is written for this one until
   * there is room.
   */
  hasRoom: () => boolean;
  onFailure: (error: unknown) => void;
}

/**
 * One client's server-sent events. It reads pages by itself until it has caught up, then takes what the tenant's feed reads for everybody. While the
 * client's socket is full nothing is read for it; what it holds is then the one page that filled it.
 */
export class EventStream implements FeedReader {
  private position: EventPosition;
  /** The last id that the client was sent. */
  private told: EventPosition;
  private isReading = false;
  private isLive = false;
  private isOver = false;
  private readonly pinging: NodeJS.Timeout;

  constructor(
    readonly options: EventStreamOptions,
    private readonly source: EventSource,
  ) {
    const { response, position } = options;
    this.position = position;
    this.told = position;
    response.once('close', () => this.stop());
    response.on('drain', () => void this.catchUp());
    this.pinging = setInterval(() => this.ping(), PING_MS);
    // An id alone is no event to a client, but makes it come back to where it first was if it is cut before the first event.
    response.write(`retry: ${RETRY_MS}\nid: ${formatPosition(position)}\n\n`);
    void this.catchUp();
  }

  take(page: EventPage): void {
    const { feed, hasRoom } = this.source;
    const isTaken = hasRoom();
    if (isTaken) this.send(page);
    if (isTaken && !this.isFull) return;
    this.isLive = false;
    feed.leave(this);
    if (!isTaken) void this.catchUp();
  }

  /** Ends the answer: the client may come back with the last id that it has. */
  end(): void {
    if (this.isOver) return;
    this.stop();
    const { response } = this.options;
    response.end();
    setTimeout(() => response.destroy(), END_PATIENCE_MS).unref();
  }

  private stop(): void {
    this.isOver = true;
    clearInterval(this.pinging);
    this.source.feed.leave(this);
  }

  private get isFull(): boolean {
    return this.options.response.writableNeedDrain;
  }

  private async catchUp(): Promise<void> {
    if (this.isReading || this.isLive) return;
    this.isReading = true;
    while (!this.isOver && !this.isLive && !this.isFull) await this.readOnce();
    this.isReading = false;
  }

  private async readOnce(): Promise<void> {
    const { feed, read, hasRoom, onFailure } = this.source;
    const wakesBefore = feed.wakeCount;
    const page = hasRoom() ? await read(this.position).catch(onFailure) : undefined;
    if (this.isOver) return;
    // The room may be gone by now; the page is read again.
    if (!page || !hasRoom()) {
      await pause(READ_AGAIN_MS, undefined, { ref: false });
      return;
    }
    this.send(page);
    if (page.hasMore || this.isFull) return;
    this.isLive = feed.join(this, this.position);
    // What was committed after this page was read, or is held back, is the feed's from here on, and it may have nobody else to look for.
    if (this.isLive && (page.isHeldBack || feed.wakeCount !== wakesBefore)) feed.wake();
  }

  private send(page: EventPage): void {
    const isNews = ({ position, type }: StoredEvent) =>
      comparePositions(position, this.position) > 0 && this.wants(type);
    const news = page.events.filter(isNews);
    if (comparePositions(page.position, this.position) > 0) this.position = page.position;
    const last = news.at(-1);
    if (!last) return;
    this.told = last.position;
    this.options.response.write(news.map(frameOf).join(''));
  }

  private wants(type: string): boolean {
    const { types } = this.options;
    return types.length === 0 || types.some((filter) => matchesType(filter, type));
  }

  /** Shows proxies and the client that it lives, and tells how far it has read although nothing was for this client. */
  private ping(): void {
    if (this.isFull) return;
    const isFurther = comparePositions(this.position, this.told) > 0;
    this.told = this.position;
    this.options.response.write(`: ping\n${isFurther ? `id: ${formatPosition(this.position)}\n` : ''}\n`);
  }
}

function frameOf({ position, type, body }: StoredEvent): string {
  return `id: ${formatPosition(position)}\nevent: ${type}\ndata: ${body}\n\n`;
}
