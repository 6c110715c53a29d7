import type { EventPosition } from '../../shared/events/event-position.js';
import { readEvents } from '../../shared/events/read-events.js';
import { onRecorded } from '../../shared/events/recorded-notice.js';
import { AppError } from '../../shared/platform/errors.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { EventFeed } from './event-feed.js';
import { EventStream, type EventStreamOptions } from './event-stream.js';

const MAX_STREAMS_PER_KEY = 20;
/** A notice that was lost delays events by this at most. */
const LOOK_MS = 2000;
/**
 * Added to what the credential cache keeps (credential-cache.ts): a stream ends within 5 s of its
 * key or session.
 */
const CHECK_CREDENTIALS_MS = 500;

/** The open event streams of this process. */
export class EventStreams {
  private readonly streams = new Set<EventStream>();
  private readonly feeds = new Map<string, EventFeed>();
  private timers: NodeJS.Timeout[] = [];
  private isClosed = false;
  private isChecking = false;

  private constructor(private readonly runtime: Runtime) {}

  static async create(runtime: Runtime): Promise<EventStreams> {
    const created = new EventStreams(runtime);
    await onRecorded(runtime.bus, (tenantIds) => {
      for (const tenantId of tenantIds) created.feeds.get(tenantId)?.wake();
    });
    return created;
  }

  /** Makes this response a stream of events; the caller has asked for room and set its head. */
  open(options: EventStreamOptions): void {
    const { response } = options;
    // A client that has gone while its request was being looked at will not go once more.
    if (response.destroyed) return;
    const stream = new EventStream(options, this.sourceOf(options.tenantId));
    this.streams.add(stream);
    // An idle stream is pinged; only one whose client does not read is full for so long.
    response.setTimeout(this.runtime.config.sendTimeoutMs, () => {
      if (response.writableNeedDrain) response.destroy();
    });
    this.runtime.metrics.eventStreams.inc();
    response.once('close', () => this.forget(stream));
    // Rather than refused, which would make a browser give up: it comes back, and meets another process.
    if (this.isClosed) stream.end();
    else if (this.timers.length === 0) this.startTimers();
  }

  /** Ends all streams; clients come back with their last id. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.streams) stream.end();
  }

  /** @throws {AppError} 429 when the key has as many streams as it may. */
  assertRoom(keyId: string): void {
    const open = [...this.streams].filter(({ options }) => options.keyId === keyId).length;
    if (open < MAX_STREAMS_PER_KEY) return;
    throw new AppError(
      'rate_limited',
      `This key has ${open} open event streams, and ${MAX_STREAMS_PER_KEY} is the most. Close one, or share it.`,
      { details: [{ limit: MAX_STREAMS_PER_KEY }] },
    );
  }

  private sourceOf(tenantId: string) {
    const read = (after: EventPosition) => readEvents(this.runtime.db, tenantId, after);
    const onFailure = (error: unknown) =>
      this.runtime.logger.warn({ err: error, tenant: tenantId }, 'events not read; trying again');
    let feed = this.feeds.get(tenantId);
    if (!feed) {
      feed = new EventFeed(read, onFailure);
      this.feeds.set(tenantId, feed);
    }
    const hasRoom = () => this.runtime.unsentAnswers.hasRoom(tenantId);
    return { feed, read, hasRoom, onFailure };
  }

  private forget(stream: EventStream): void {
    this.streams.delete(stream);
    this.runtime.metrics.eventStreams.dec();
    const { tenantId } = stream.options;
    if (![...this.streams].some(({ options }) => options.tenantId === tenantId)) this.feeds.delete(tenantId);
    if (this.streams.size > 0) return;
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
  }

  private startTimers(): void {
    const look = () => {
      for (const feed of this.feeds.values()) feed.look();
    };
    this.timers = [
      setInterval(look, LOOK_MS),
      setInterval(() => void this.checkCredentials(), CHECK_CREDENTIALS_MS),
    ];
  }

  /**
   * Ends the streams of keys and sessions that may no longer read; each of them is looked up once.
   */
  private async checkCredentials(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    const byCredential = new Map([...this.streams].map(({ options }) => [options.credentialId, options]));
    const check = async ({ credentialId, isAllowed }: EventStreamOptions) => {
      // A store that cannot be asked delivers no events either, and may tell the next time.
      if (await isAllowed().catch(() => true)) return;
      for (const stream of this.streams) if (stream.options.credentialId === credentialId) stream.end();
    };
    await Promise.all([...byCredential.values()].map(check));
    this.isChecking = false;
  }
}
