import type { EventPosition } from '../../shared/events/event-position.js';
import { readEvents } from '../../shared/events/read-events.js';
import { subscribeToMovedTrucks, subscribeToRecordedEvents } from '../../shared/events/recorded-broadcast.js';
import { AppError } from '../../shared/platform/errors.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { EventFeed } from './event-feed.js';
import { type ChangeSubject, EventStream, type EventStreamOptions } from './event-stream.js';

const MAX_STREAMS_PER_KEY = 20;
/**
 * The interval at which each feed reads without a broadcast. A lost broadcast delays events by at
 * most this time.
 */
const READ_INTERVAL_MS = 2000;
/**
 * Every stream must end within 5 s after its key or session ends. The sum of this interval and the
 * lifetime of cached credentials (shared/resources/api-keys/credential-cache.ts) is below 5 s.
 */
const CREDENTIAL_CHECK_INTERVAL_MS = 500;

export class EventStreams {
  private readonly streams = new Set<EventStream>();
  private readonly feeds = new Map<string, EventFeed>();
  private timers: NodeJS.Timeout[] = [];
  private isClosed = false;
  private isChecking = false;

  private constructor(
    private readonly runtime: Runtime,
    private readonly issueToken: () => Promise<string | undefined>,
  ) {}

  /**
   * @param issueToken resolves with a consistency token for all transactions that were committed
   *   before the call, or with undefined if there is no replica
   */
  static async create(
    runtime: Runtime,
    issueToken: () => Promise<string | undefined>,
  ): Promise<EventStreams> {
    const created = new EventStreams(runtime, issueToken);
    await subscribeToRecordedEvents(runtime.bus, (tenantIds) => {
      for (const tenantId of tenantIds) created.feeds.get(tenantId)?.wake();
      created.announceChanges(new Set(tenantIds), 'all');
    });
    await subscribeToMovedTrucks(runtime.bus, (tenantId) =>
      created.announceChanges(new Set([tenantId]), 'positions'),
    );
    return created;
  }

  /** Opens a stream. The caller must first call {@link assertCapacity} and set the headers. */
  open(options: EventStreamOptions): void {
    const { response } = options;
    // If the client has already disconnected, 'close' is not emitted again. The stream would then
    // never be removed.
    if (response.destroyed) return;
    const stream = new EventStream(options, this.createSource(options.tenantId));
    this.streams.add(stream);
    // Pings keep a stream active, so only a client that does not read reaches this timeout.
    response.setTimeout(this.runtime.config.sendTimeoutMs, () => {
      if (response.writableNeedDrain) response.destroy();
    });
    this.runtime.metrics.eventStreams.inc();
    void this.announceToken(stream);
    response.once('close', () => this.remove(stream));
    // During shutdown, end the stream instead of refusing it. A browser reconnects after an ended
    // stream, but gives up after an error response.
    if (this.isClosed) stream.end();
    else if (this.timers.length === 0) this.startTimers();
  }

  /** Ends all streams. Clients reconnect with the last id that they received. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.streams) stream.end();
  }

  /** @throws {AppError} 429 when the key already has the maximum number of streams */
  assertCapacity(keyId: string): void {
    const open = [...this.streams].filter(({ options }) => options.keyId === keyId).length;
    if (open < MAX_STREAMS_PER_KEY) return;
    throw new AppError(
      'rate_limited',
      `This key has ${open} open event streams, and ${MAX_STREAMS_PER_KEY} is the maximum. Close one, or share it.`,
      { details: [{ limit: MAX_STREAMS_PER_KEY }] },
    );
  }

  /** Without a token, the client's first reads would go to the primary until something changes. */
  private async announceToken(stream: EventStream): Promise<void> {
    if (await this.issueToken()) stream.announceChange('all');
  }

  private announceChanges(tenantIds: Set<string>, subject: ChangeSubject): void {
    for (const stream of this.streams)
      if (tenantIds.has(stream.options.tenantId)) stream.announceChange(subject);
  }

  private createSource(tenantId: string) {
    const read = async (after: EventPosition) => {
      const page = await readEvents(this.runtime.db, tenantId, after);
      return { ...page, token: page.events.length > 0 ? await this.issueToken() : undefined };
    };
    const onFailure = (error: unknown) =>
      this.runtime.logger.warn({ err: error, tenant: tenantId }, 'events not read; trying again');
    let feed = this.feeds.get(tenantId);
    if (!feed) {
      feed = new EventFeed(read, onFailure);
      this.feeds.set(tenantId, feed);
    }
    const hasRoom = () => this.runtime.unsentResponses.hasCapacity(tenantId);
    return { feed, read, hasRoom, onFailure, issueToken: this.issueToken };
  }

  private remove(stream: EventStream): void {
    this.streams.delete(stream);
    this.runtime.metrics.eventStreams.dec();
    const { tenantId } = stream.options;
    if (![...this.streams].some(({ options }) => options.tenantId === tenantId)) this.feeds.delete(tenantId);
    if (this.streams.size > 0) return;
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
  }

  private startTimers(): void {
    const readFeeds = () => {
      for (const feed of this.feeds.values()) feed.requestRead();
    };
    this.timers = [
      setInterval(readFeeds, READ_INTERVAL_MS),
      setInterval(() => void this.checkCredentials(), CREDENTIAL_CHECK_INTERVAL_MS),
    ];
  }

  /**
   * Ends the streams whose key or session is no longer valid. Checks each credential once, even if
   * it has several streams.
   */
  private async checkCredentials(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    const byCredential = new Map([...this.streams].map(({ options }) => [options.credentialId, options]));
    const check = async ({ credentialId, isAllowed }: EventStreamOptions) => {
      // Keep the stream if the check itself fails, because PostgreSQL is then unreachable. Until
      // the next check, the stream receives no events.
      if (await isAllowed().catch(() => true)) return;
      for (const stream of this.streams) if (stream.options.credentialId === credentialId) stream.end();
    };
    await Promise.all([...byCredential.values()].map(check));
    this.isChecking = false;
  }
}
