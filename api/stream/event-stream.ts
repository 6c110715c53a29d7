import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type EventPosition, formatPosition } from '../../shared/events/event-position.js';
import { matchesType } from '../../shared/events/event-types.js';
import type { StoredEvent } from '../../shared/events/read-events.js';
import type { EventFeed, EventFeedReader, FeedPage } from './event-feed.js';

/** The time that a client's EventSource waits before it reconnects. */
const RETRY_MS = 2000;
/**
 * The interval of pings. Proxies close silent connections after a minute, and some after half a
 * minute.
 */
const PING_MS = 15_000;
const RETRY_READ_MS = 1000;
/** Minimum time between two announcements of changes. */
const CHANGES_INTERVAL_MS = 500;
/**
 * Maximum time that an ended response stays open. A client that no longer reads would otherwise
 * delay the shutdown.
 */
const END_GRACE_MS = 500;

/** What has changed: any records, or only the positions of trucks. */
export type ChangeSubject = 'all' | 'positions';

export interface EventStreamOptions {
  tenantId: string;
  /** Id of the key or the person. The number of streams per key or person is limited. */
  keyId: string;
  /** Id of the key or the session. The stream ends when this credential is no longer valid. */
  credentialId: string;
  /** The stream starts after this position. */
  position: EventPosition;
  /** An empty list matches every event. */
  types: string[];
  /** True if the client also wants to know about writes without an event. */
  announcesChanges: boolean;
  /** Resolves with false once the credential no longer allows the stream. */
  isAllowed: () => Promise<boolean>;
  response: ServerResponse;
}

export interface EventStreamSource {
  feed: EventFeed;
  read: (after: EventPosition) => Promise<FeedPage>;
  /** Issues a consistency token; resolves with undefined if there is no replica. */
  issueToken: () => Promise<string | undefined>;
  /**
   * False while the tenant's clients have too many unread bytes. The stream must then write
   * nothing.
   */
  hasRoom: () => boolean;
  onFailure: (error: unknown) => void;
}

/**
 * Sends server-sent events to one client. The stream itself reads pages until it has caught up.
 * From then on, it receives the pages that the tenant's feed reads once for all streams. While the
 * client's socket is full, the stream reads nothing, so that at most one page waits in memory.
 */
export class EventStream implements EventFeedReader {
  private position: EventPosition;
  /** The last position that was sent to the client. */
  private lastSent: EventPosition;
  private isReading = false;
  private isLive = false;
  private isStopped = false;
  private readonly pingTimer: NodeJS.Timeout;
  private changesTimer: NodeJS.Timeout | undefined;
  private changesSentAt = 0;
  /** What has changed since the last announcement. */
  private changed: ChangeSubject = 'positions';

  constructor(
    readonly options: EventStreamOptions,
    private readonly source: EventStreamSource,
  ) {
    const { response, position } = options;
    this.position = position;
    this.lastSent = position;
    response.once('close', () => this.stop());
    response.on('drain', () => void this.catchUp());
    this.pingTimer = setInterval(() => this.ping(), PING_MS);
    // Send the start position as an id without data. The client does not treat this as an event. If
    // the connection is lost before the first event, the client resumes from this id.
    response.write(`retry: ${RETRY_MS}\nid: ${formatPosition(position)}\n\n`);
    void this.catchUp();
  }

  receivePage(page: FeedPage): void {
    const { feed, hasRoom } = this.source;
    const canWrite = hasRoom();
    if (canWrite) this.send(page);
    if (canWrite && !this.isFull) return;
    this.isLive = false;
    feed.leave(this);
    if (!canWrite) void this.catchUp();
  }

  /**
   * Sends `changed`, at most once per interval. An announcement only tells the client to read
   * again. It has no id, because a client that misses it loses no event.
   */
  announceChange(subject: ChangeSubject): void {
    if (!this.options.announcesChanges || this.isStopped) return;
    if (subject === 'all') this.changed = subject;
    if (this.changesTimer) return;
    const waitMs = Math.max(0, this.changesSentAt + CHANGES_INTERVAL_MS - Date.now());
    this.changesTimer = setTimeout(() => void this.sendChange(), waitMs);
  }

  private async sendChange(): Promise<void> {
    this.changesTimer = undefined;
    this.changesSentAt = Date.now();
    const only = this.changed === 'all' ? undefined : this.changed;
    this.changed = 'positions';
    const token = await this.source.issueToken();
    // A client that does not read gets no announcements. The stream later sends it the missed
    // events.
    if (this.isStopped || this.isFull || !this.source.hasRoom()) return;
    this.options.response.write(formatChange({ only, token }));
  }

  /** Ends the response. The client can reconnect with the last id that it received. */
  end(): void {
    if (this.isStopped) return;
    this.stop();
    const { response } = this.options;
    response.end();
    setTimeout(() => response.destroy(), END_GRACE_MS).unref();
  }

  private stop(): void {
    this.isStopped = true;
    clearInterval(this.pingTimer);
    clearTimeout(this.changesTimer);
    this.source.feed.leave(this);
  }

  private get isFull(): boolean {
    return this.options.response.writableNeedDrain;
  }

  private async catchUp(): Promise<void> {
    if (this.isReading || this.isLive) return;
    this.isReading = true;
    while (!this.isStopped && !this.isLive && !this.isFull) await this.readOnce();
    this.isReading = false;
  }

  private async readOnce(): Promise<void> {
    const { feed, read, hasRoom, onFailure } = this.source;
    const wakesBefore = feed.wakeCount;
    const page = hasRoom() ? await read(this.position).catch(onFailure) : undefined;
    if (this.isStopped) return;
    // Read the page again later if the read failed, or if other responses have meanwhile used up
    // the tenant's room for unread bytes.
    if (!page || !hasRoom()) {
      await pause(RETRY_READ_MS, undefined, { ref: false });
      return;
    }
    this.send(page);
    if (page.hasMore || this.isFull) return;
    this.isLive = feed.join(this, this.position);
    // From here on, the feed delivers new events. While the feed had no readers, it ignored
    // wake-ups. So wake it again if this read withheld events, or if events were committed during
    // this read.
    if (this.isLive && (page.hasWithheldEvents || feed.wakeCount !== wakesBefore)) feed.wake();
  }

  private send(page: FeedPage): void {
    const isNew = ({ position, type }: StoredEvent) =>
      comparePositions(position, this.position) > 0 && this.matchesFilters(type);
    const newEvents = page.events.filter(isNew);
    if (comparePositions(page.position, this.position) > 0) this.position = page.position;
    const last = newEvents.at(-1);
    if (!last) return;
    this.lastSent = last.position;
    // A client that reads because of these events needs the token first.
    const change = this.options.announcesChanges && page.token ? formatChange({ token: page.token }) : '';
    this.options.response.write(change + newEvents.map(formatEvent).join(''));
  }

  private matchesFilters(type: string): boolean {
    const { types } = this.options;
    return types.length === 0 || types.some((filter) => matchesType(filter, type));
  }

  /**
   * Keeps the connection open. If the position has advanced past events that this client does not
   * receive, also sends the position as an id.
   */
  private ping(): void {
    if (this.isFull) return;
    const isFurther = comparePositions(this.position, this.lastSent) > 0;
    this.lastSent = this.position;
    this.options.response.write(`: ping\n${isFurther ? `id: ${formatPosition(this.position)}\n` : ''}\n`);
  }
}

function formatChange({
  only,
  token,
}: {
  only?: 'positions' | undefined;
  token?: string | undefined;
}): string {
  return `event: changed\ndata: ${JSON.stringify({ only, consistency_token: token })}\n\n`;
}

function formatEvent({ position, type, body }: StoredEvent): string {
  return `id: ${formatPosition(position)}\nevent: ${type}\ndata: ${body}\n\n`;
}
