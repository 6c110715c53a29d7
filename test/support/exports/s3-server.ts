import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findSignatureError } from './s3-signature.js';

/**
 * The limits of S3: the minimum size of every part but the last, and the maximum number of keys on
 * a page.
 */
const MIN_PART_BYTES = 5 * 1024 * 1024;
const PAGE = 1000;

interface StoredObject {
  body: Buffer;
  type: string;
  modifiedAt: Date;
}

interface StoredUpload {
  key: string;
  type: string;
  initiatedAt: Date;
  parts: Map<number, StoredPart>;
}

interface StoredPart {
  etag: string;
  size: number;
  body: Buffer;
}

/**
 * A way to fail a request: with an S3 error response, without any response, or by closing the
 * connection.
 */
export type S3Failure = { status: number; code: string } | 'silence' | 'cut';

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

const md5 = (body: Buffer | string) => createHash('md5').update(body).digest('hex');
const tag = (name: string, value: string | number) => `<${name}>${value}</${name}>`;
const STATUS: Record<string, number> = { XAmzContentSHA256Mismatch: 400 };

interface S3Request {
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
  key: string;
  body: Buffer;
}

/**
 * Serves one bucket over HTTP, as strictly as S3 documents it. The server checks signatures,
 * digests of bodies, the expiry of presigned links, and the parts of a completed upload. A body
 * that is cut off creates no object. Like older servers, this server does not support checksums in
 * trailers.
 */
export class S3Server {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<string, StoredUpload>();
  /**
   * Method and URL of each request in the order of arrival, such as `PUT /bucket/key?partNumber=1`.
   */
  readonly requests: string[] = [];
  /**
   * Called with the method and the URL of each request. If this function returns a failure, the
   * server fails the request in that way.
   */
  injectFailure: (request: string) => S3Failure | undefined = () => undefined;
  pageSize = PAGE;
  /**
   * If false, the server drops the bytes of parts, so that a test can upload more than fits into
   * memory.
   */
  keepsParts = true;

  private constructor(
    private readonly server: Server,
    readonly bucket: string,
  ) {}

  static async start(bucket = 'exports'): Promise<S3Server> {
    const server = createServer();
    const own = new S3Server(server, bucket);
    server.on('request', (request, response) => void own.#handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return own;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = `${request.method} ${request.url}`;
    this.requests.push(name);
    const trouble = this.injectFailure(name);
    if (trouble === 'silence') return;
    if (trouble === 'cut') return void request.socket.destroy();
    try {
      const body = await readBody(request);
      if (trouble) throw new Refusal(trouble.status, trouble.code);
      const code = findSignatureError(request, body);
      if (code) throw new Refusal(STATUS[code] ?? 403, code);
      if (request.headers['content-encoding'] === 'aws-chunked') throw new Refusal(501, 'NotImplemented');
      const url = new URL(request.url ?? '', 'http://s3');
      const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/');
      if (bucket !== this.bucket) throw new Refusal(404, 'NoSuchBucket');
      this.#serve({ request, response, query: url.searchParams, key: rest.join('/'), body });
    } catch (error) {
      if (!(error instanceof Refusal)) return void request.socket.destroy();
      response.writeHead(error.status, { 'Content-Type': 'application/xml' });
      response.end(`<Error>${tag('Code', error.code)}${tag('Message', 'refused by the test')}</Error>`);
    }
  }

  #serve(s3Request: S3Request): void {
    const verb = s3Request.request.method ?? '';
    const isPart = s3Request.query.has('uploadId');
    const isList = s3Request.key === '';
    const handlers: Record<string, ((s3Request: S3Request) => void) | undefined> = isList
      ? { GET: (one) => (one.query.has('uploads') ? this.#listUploads(one) : this.#list(one)) }
      : isPart
        ? {
            PUT: (one) => this.#putPart(one),
            POST: (one) => this.#complete(one),
            DELETE: (one) => this.#abort(one),
          }
        : {
            POST: (one) => this.#initiate(one),
            PUT: (one) => this.#put(one),
            GET: (one) => this.#get(one),
            DELETE: (one) => this.#delete(one),
          };
    const handler = handlers[verb];
    if (!handler) throw new Refusal(501, 'NotImplemented');
    handler(s3Request);
  }

  #delete({ response, key }: S3Request): void {
    this.objects.delete(key);
    response.writeHead(204).end();
  }

  #put({ request, response, key, body }: S3Request): void {
    this.objects.set(key, { body, type: request.headers['content-type'] ?? '', modifiedAt: new Date() });
    response.writeHead(200, { ETag: `"${md5(body)}"` }).end();
  }

  #get({ request, response, key, query }: S3Request): void {
    const object = this.objects.get(key);
    if (!object) throw new Refusal(404, 'NoSuchKey');
    const size = object.body.length;
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const start = Number(first ?? 0);
    const end = Math.min(last ? Number(last) : size - 1, size - 1);
    if (first && start >= size) throw new Refusal(416, 'InvalidRange');
    const disposition = query.get('response-content-disposition');
    response.writeHead(first ? 206 : 200, {
      'Content-Type': query.get('response-content-type') ?? object.type,
      'Content-Length': first ? end - start + 1 : size,
      'Accept-Ranges': 'bytes',
      ...(first ? { 'Content-Range': `bytes ${start}-${end}/${size}` } : {}),
      ...(disposition ? { 'Content-Disposition': disposition } : {}),
      'Cache-Control': query.get('response-cache-control') ?? 'private',
    });
    response.end(first ? object.body.subarray(start, end + 1) : object.body);
  }

  #initiate({ request, response, key }: S3Request): void {
    const id = randomBytes(12).toString('hex');
    const type = request.headers['content-type'] ?? '';
    this.uploads.set(id, { key, type, initiatedAt: new Date(), parts: new Map() });
    const inner = tag('Bucket', this.bucket) + tag('Key', key) + tag('UploadId', id);
    respondWithXml(response, 'InitiateMultipartUploadResult', inner);
  }

  #upload({ query, key }: S3Request): StoredUpload {
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (upload?.key !== key) throw new Refusal(404, 'NoSuchUpload');
    return upload;
  }

  #putPart(s3Request: S3Request): void {
    const { body, query } = s3Request;
    const etag = md5(body);
    const part = { etag, size: body.length, body: this.keepsParts ? body : Buffer.alloc(0) };
    this.#upload(s3Request).parts.set(Number(query.get('partNumber')), part);
    s3Request.response.writeHead(200, { ETag: `"${etag}"` }).end();
  }

  #complete(s3Request: S3Request): void {
    const { key, type, parts } = this.#upload(s3Request);
    const named = [...s3Request.body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      etag: /<ETag>(?:"|&quot;)?([0-9a-f]+)/.exec(part)?.[1],
    }));
    const bodies = named.map(({ number, etag }, index) => {
      const part = parts.get(number);
      if (!part || part.etag !== etag) throw new Refusal(400, 'InvalidPart');
      if (index > 0 && number <= (named[index - 1]?.number ?? 0)) throw new Refusal(400, 'InvalidPartOrder');
      if (index < named.length - 1 && part.size < MIN_PART_BYTES) throw new Refusal(400, 'EntityTooSmall');
      return part.body;
    });
    if (bodies.length === 0) throw new Refusal(400, 'MalformedXML');
    this.objects.set(key, { body: Buffer.concat(bodies), type, modifiedAt: new Date() });
    this.uploads.delete(s3Request.query.get('uploadId') ?? '');
    const inner =
      tag('Bucket', this.bucket) + tag('Key', key) + tag('ETag', `"${md5(key)}-${bodies.length}"`);
    respondWithXml(s3Request.response, 'CompleteMultipartUploadResult', inner);
  }

  #abort(s3Request: S3Request): void {
    this.#upload(s3Request);
    this.uploads.delete(s3Request.query.get('uploadId') ?? '');
    s3Request.response.writeHead(204).end();
  }

  #list({ response, query }: S3Request): void {
    const after = query.get('continuation-token') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();
    const rest = keys.filter((key) => key > after);
    const page = rest.slice(0, this.pageSize);
    const contents = page.map((key) => {
      const at = this.objects.get(key)?.modifiedAt.toISOString() ?? '';
      return tag('Contents', tag('Key', key) + tag('LastModified', at));
    });
    const hasMore = rest.length > page.length;
    const next = hasMore ? tag('NextContinuationToken', page.at(-1) ?? '') : '';
    respondWithXml(
      response,
      'ListBucketResult',
      contents.join('') + tag('IsTruncated', String(hasMore)) + next,
    );
  }

  #listUploads({ response, query }: S3Request): void {
    const after = `${query.get('key-marker') ?? ''} ${query.get('upload-id-marker') ?? ''}`;
    const rest = [...this.uploads]
      .filter(([id, { key }]) => key.startsWith(query.get('prefix') ?? '') && `${key} ${id}` > after)
      .sort(([a, one], [b, other]) => (`${one.key} ${a}` < `${other.key} ${b}` ? -1 : 1));
    const page = rest.slice(0, this.pageSize);
    const uploads = page.map(([id, { key, initiatedAt }]) =>
      tag('Upload', tag('Key', key) + tag('UploadId', id) + tag('Initiated', initiatedAt.toISOString())),
    );
    const hasMore = rest.length > page.length;
    const [lastId = '', last] = page.at(-1) ?? [];
    const next = hasMore ? tag('NextKeyMarker', last?.key ?? '') + tag('NextUploadIdMarker', lastId) : '';
    respondWithXml(
      response,
      'ListMultipartUploadsResult',
      uploads.join('') + tag('IsTruncated', String(hasMore)) + next,
    );
  }
}

/** @throws if the connection ends before the whole body has arrived */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function respondWithXml(response: ServerResponse, root: string, inner: string): void {
  response.writeHead(200, { 'Content-Type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${tag(root, inner)}`);
}
