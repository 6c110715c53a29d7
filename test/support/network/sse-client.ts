import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Json } from '../client.js';
import { eventually } from '../poll.js';

export interface SseEvent {
  id: string;
  type: string;
  body: Json;
}

export interface SseOptions {
  lastEventId?: string | undefined;
  /** The query string, with its question mark. */
  query?: string;
  prefix?: string;
  /** The value of the header `Cookie`, which is sent instead of the key. */
  cookie?: string;
  /** Called for each event when the client has read it. */
  onEvent?: (event: SseEvent, client: SseClient) => void;
}

/**
 * One connection to /stream. Parses events as the HTML standard says: a blank line ends an event. A
 * block without data only sets the last event id or the retry time.
 */
export class SseClient {
  readonly events: SseEvent[] = [];
  /** The id that EventSource would send when it reconnects. */
  lastEventId: string | undefined;
  retry: number | undefined;
  comments = 0;
  status = 0;
  headers: IncomingMessage['headers'] = {};
  /** The whole body so far. Tests read it if the response is not a stream. */
  text = '';
  hasEnded = false;
  private rest = '';
  private isCut = false;

  private constructor(
    private readonly request: ClientRequest,
    private readonly onEvent: SseOptions['onEvent'],
  ) {}

  /** Opens a connection. Resolves once the head of the response has arrived. */
  static connect(origin: string, key: string, options: SseOptions = {}): Promise<SseClient> {
    const { lastEventId, query = '', prefix = '/v1', cookie } = options;
    const headers = {
      accept: 'text/event-stream',
      ...(cookie === undefined ? { authorization: `Bearer ${key}` } : { cookie }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const sent = request(`${origin}${prefix}/stream${query}`, { headers, agent: false });
    const client = new SseClient(sent, options.onEvent);
    return new Promise((resolve, reject) => {
      sent.once('error', reject);
      sent.once('response', (response) => {
        client.listen(response);
        resolve(client);
      });
      sent.end();
    });
  }

  private listen(response: IncomingMessage): void {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.request.on('error', () => undefined);
    response.on('error', () => undefined);
    response.on('close', () => {
      this.hasEnded = true;
    });
    response.setEncoding('utf8').on('data', (chunk: string) => this.read(chunk));
  }

  private read(chunk: string): void {
    this.text += chunk;
    this.rest += chunk;
    const blocks = this.rest.split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) if (!this.isCut) this.dispatch(block);
  }

  private dispatch(block: string): void {
    const fields: Record<string, string> = {};
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
      if (name === '') this.comments += 1;
      else fields[name] = value;
    }
    if (fields.id !== undefined) this.lastEventId = fields.id;
    if (fields.retry !== undefined) this.retry = Number(fields.retry);
    if (fields.data === undefined) return;
    const event = { id: fields.id ?? '', type: fields.event ?? '', body: JSON.parse(fields.data) };
    this.events.push(event);
    this.onEvent?.(event, this);
  }

  async waitFor(count: number, timeoutMs?: number): Promise<SseEvent[]> {
    return eventually(
      `${count} events, not ${this.events.length}`,
      () => this.events.length >= count && this.events,
      timeoutMs,
    );
  }

  pauseReading(): void {
    this.request.socket?.pause();
  }

  waitForEnd(timeoutMs?: number): Promise<boolean> {
    return eventually('the end of the stream', () => this.hasEnded, timeoutMs);
  }

  /**
   * Cuts the connection as a network failure would. Events that are still on their way are lost.
   */
  close(): void {
    this.isCut = true;
    this.request.destroy();
  }
}
