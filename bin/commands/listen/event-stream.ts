import { type ApiAccess, ApiError, callApi, describeCause } from '../../cli/api-client.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import { type SseBlock, SseParser } from '../../cli/sse-parser.js';

/** The API sends a comment every 15 s. After three missing comments the connection is dead. */
const SILENCE_MS = 45_000;

interface StreamOptions {
  api: ApiAccess;
  /** Comma-separated filters; undefined for all events. */
  types: string | undefined;
  /** Ends the stream when aborted. */
  stopping: AbortSignal;
}

/** The stream was cut. A client that reconnects with the last id misses no event. */
export class StreamInterruptedError extends Error {}

/**
 * Opens one connection to the account's events and yields its blocks until the API ends the stream.
 * Reads only when the consumer wants the next block.
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

/** The time between two reads does not count as silence. */
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

/** After a transient error, the stream may be opened again. */
export function isTransientError(error: unknown): error is StreamInterruptedError | ApiError {
  return error instanceof StreamInterruptedError || (error instanceof ApiError && error.isTransient);
}
