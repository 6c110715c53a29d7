import type { DriverState, PaymentTap, ReaderPayment } from '../../../api/public/driver/driver-contract.js';
import type { StoredAction } from './store.js';

/**
 * The server's answer to a request. `later` means that there was no answer, and that the page may
 * send the request again.
 */
export type Answer =
  | { kind: 'ok'; state: DriverState | null }
  | { kind: 'refused'; reason: string }
  | { kind: 'ended' }
  | { kind: 'later'; waitMs: number | undefined };

/** On a slow mobile network, sending a picture may take this long. */
const TIMEOUT_MS = 90_000;

/** The requests of one page. All their paths are below the page's own path. */
export class Server {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  readState(): Promise<Answer> {
    return this.#request('/state', {});
  }

  send({ action }: StoredAction): Promise<Answer> {
    if (action.kind !== 'photo') return this.#post('/actions', action);
    const { id, at, type, data } = action;
    const query = new URLSearchParams({ id, at });
    return this.#request(`/photos?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: data,
    });
  }

  pay(tap: PaymentTap): Promise<Answer> {
    return this.#post('/payments', tap);
  }

  /** Returns undefined if the server gave no answer about the payment. */
  async readPayment(id: string): Promise<ReaderPayment | undefined> {
    return (await this.#fetch(`/payments/${id}`, {}))?.body?.data?.payment;
  }

  #post(path: string, body: object): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json' };
    return this.#request(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async #request(path: string, init: RequestInit): Promise<Answer> {
    const answered = await this.#fetch(path, init);
    return answered ? interpret(answered.response, answered.body) : { kind: 'later', waitMs: undefined };
  }

  /** Returns undefined if no response came. */
  async #fetch(
    path: string,
    init: RequestInit,
  ): Promise<{ response: Response; body: Body | undefined } | undefined> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
    try {
      const headers = { ...init.headers, 'X-Requested-With': 'driver-page' };
      const response = await fetch(this.#path + path, {
        ...init,
        headers,
        signal: abort.signal,
        credentials: 'omit',
        cache: 'no-store',
      });
      return { response, body: await response.json().catch(() => undefined) };
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Body {
  data?: { state?: DriverState | null; payment?: ReaderPayment };
  error?: { code: string; message: string };
}

/**
 * Interprets a response. Only the API itself may end the link or refuse an action. After an error
 * page of a proxy, the phone keeps all actions.
 */
function interpret({ ok, status, headers }: Response, body: Body | undefined): Answer {
  if (ok && body?.data?.state !== undefined) return { kind: 'ok', state: body.data.state };
  const error = body?.error;
  if (!error || ok || status >= 500 || isTemporary(error.code))
    return { kind: 'later', waitMs: Number(headers.get('Retry-After')) * 1000 || undefined };
  if (error.code === 'not_found') return { kind: 'ended' };
  return { kind: 'refused', reason: error.message };
}

const isTemporary = (code: string) => code === 'rate_limited' || code === 'idempotency_in_progress';
