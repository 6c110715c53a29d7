import { type ApiAccess, ApiError, callApi, describeCause } from '../../cli/api-client.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import { type SseBlock, SseParser } from '../../cli/sse-parser.js';

/**
 * The API sends an empty comment every 15 s. After 45 s of silence, the connection counts as dead.
 */
const SILENCE_MS = 45_000;

interface StreamOptions {
  api: ApiAccess;
  /** Comma-separated filters; undefined for all events. */
  types: string | undefined;
  /** When this signal is aborted, the stream ends. */
  stopping: AbortSignal;
}

/** Thrown if the stream was cut. A client that reconnects with the last id misses no event. */
export class StreamInterruptedError extends Error {}

/**
 * Opens one connection to the account's event stream, and yields blocks until the API ends the
 * stream. Reads from the network only when the consumer asks for the next block.
 * @throws {ApiError} if the API refuses the connection
 * @throws {StreamInterruptedError} if the connection breaks
 */
export async function* openEventStream(
  { api, types, stopping }: StreamOptions,
  lastEventId: string | null,
): AsyncGenerator<SseBlock> {
  const cut = new AbortController();
  const signal = AbortSignal.any([stopping, cut.signal]);
  const query = types === undefined ? '' : `?types=${encodeURIComponent(types)}`;
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
  };
  const response = await callApi(api, `/stream${query}`, { headers, signal });
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw new CliError(
      'no_api',
      `${api.url}/stream did not answer with an event stream.`,
      EXIT.configuration,
    );
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, cut);
      if (done) return;
      yield* parser.feed(decoder.decode(value, { stream: true }));
    }
  } finally {
    cut.abort();
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Reads the next chunk, or cuts the connection if none arrives within 45 s. The time that the
 * consumer spends between two reads does not count.
 */
async function readWithin(reader: Reader, cut: AbortController) {
  const timer = setTimeout(() => cut.abort(), SILENCE_MS);
  try {
    return await reader.read();
  } catch (error) {
    throw new StreamInterruptedError(
      cut.signal.aborted ? `silent for ${SILENCE_MS / 1000} s` : describeCause(error),
    );
  } finally {
    clearTimeout(timer);
  }
}

/** True if opening the stream again may succeed after this error. */
export function isTransientError(error: unknown): error is StreamInterruptedError | ApiError {
  return error instanceof StreamInterruptedError || (error instanceof ApiError && error.isTransient);
}
