import { type ApiAccess, ApiError, callApi, causeOf } from '../api-client.js';
import { CliError, EXIT } from '../exit-codes.js';
import { type SseBlock, SseParser } from './sse-parser.js';

/** Three of the comments that the API sends every 15 s are missing: the connection is dead. */
const SILENCE_MS = 45_000;

interface StreamOptions {
  api: ApiAccess;
  /** Filters with commas between; undefined: everything. */
  types: string | undefined;
  /** Ends the stream. */
  stopping: AbortSignal;
}

/** The stream was cut; whoever connects again with the last id gets what is missing. */
export class StreamCut extends Error {}

/**
 * One connection to the account's events, block by block, until the API ends it. What is not taken yet stays on the other side.
 * @throws {ApiError} when it is refused; {StreamCut} when it breaks off
 */
export async function* openStream(
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
    throw new CliError('no_api', `${api.url}/stream answers with no event stream.`, EXIT.configuration);
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

/** Only the time in which something is waited for counts as silence. */
async function readWithin(reader: Reader, cut: AbortController) {
  const timer = setTimeout(() => cut.abort(), SILENCE_MS);
  try {
    return await reader.read();
  } catch (error) {
    throw new StreamCut(cut.signal.aborted ? `silent for ${SILENCE_MS / 1000} s` : causeOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a stream that ended so may be opened again. */
export function isPassing(error: unknown): error is StreamCut | ApiError {
  return error instanceof StreamCut || (error instanceof ApiError && error.isPassing);
}
