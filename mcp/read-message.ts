import type { IncomingMessage } from 'node:http';
import {
  ErrorCode,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { parseStrictJson } from '../shared/contracts/strict-json.js';
import { AppError } from '../shared/platform/errors.js';
import { RpcError } from './rpc-error.js';

/** Largest message in bytes (decisions 5, Limits). */
const MAX_BYTES = 1024 * 1024;

export interface Message {
  /** Undefined: a notification or an answer, to which nothing is said. */
  request: JSONRPCRequest | undefined;
  bytes: number;
}

/**
 * Reads the one JSON-RPC message of a POST.
 * @throws {AppError} 406, 413, 415: HTTP's own faults
 * @throws {RpcError} what is no message
 */
export async function readMessage(request: IncomingMessage): Promise<Message> {
  const { headers } = request;
  if (!accepts(headers.accept))
    throw new AppError(
      'not_acceptable',
      'This server answers in JSON. Accept application/json and text/event-stream.',
    );
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new AppError('unsupported_media_type', 'Send the message as application/json.');
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new AppError('unsupported_media_type', 'Send the message without Content-Encoding.');
  const bytes = await readBytes(request);
  const parsed = parseStrictJson(bytes);
  if (!parsed.ok)
    throw new RpcError(ErrorCode.ParseError, parsed.faults[0]?.message ?? 'The message is not valid JSON.');
  return { request: requestOf(parsed.value), bytes: bytes.length };
}

function accepts(accept: string | undefined): boolean {
  return !accept || /application\/(json|\*)|\*\/\*/i.test(accept);
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw new AppError('payload_too_large', `The message is larger than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function requestOf(value: unknown): JSONRPCRequest | undefined {
  // A batch would multiply what is counted and audited as one; the protocol has had none since 2025-06-18.
  if (Array.isArray(value))
    throw new RpcError(ErrorCode.InvalidRequest, 'Send one message at a time, not an array.');
  if (isJSONRPCRequest(value)) return value;
  if (isJSONRPCNotification(value) || isJSONRPCResponse(value)) return undefined;
  throw new RpcError(ErrorCode.InvalidRequest, 'This is not a JSON-RPC 2.0 message.');
}
