import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** The parts of a passkey's response that a test chooses. */
export interface PasskeyOptions {
  origin: string;
  isUserVerified?: boolean;
  counter?: number;
}

type Cbor = number | string | Buffer | Map<Cbor, Cbor>;

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

/** Encodes the few types of CBOR (RFC 8949) that WebAuthn needs here. */
function encodeCbor(value: Cbor): Buffer {
  const head = (major: number, size: number) => {
    if (size < 24) return Buffer.from([(major << 5) | size]);
    if (size < 256) return Buffer.from([(major << 5) | 24, size]);
    return Buffer.from([(major << 5) | 25, size >> 8, size & 255]);
  };
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, member]) => [encodeCbor(key), encodeCbor(member)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

/**
 * A passkey (ES256) for tests. A browser would never sign some of its responses, for example for a
 * false origin.
 */
export class SoftwarePasskey {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(16);

  get id(): string {
    return this.#id.toString('base64url');
  }

  /** Builds the response to the options for a new passkey. */
  create(options: { challenge: string; rp: { id: string } }, how: PasskeyOptions): object {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const publicKey = new Map<Cbor, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const credential = [Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id, encodeCbor(publicKey)];
    const data = Buffer.concat([this.#describe(options.rp.id, how, 0x40), ...credential]);
    const attestation = new Map<Cbor, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', data],
    ]);
    return this.#wrap({
      clientDataJSON: this.#describeClient('webauthn.create', options.challenge, how),
      attestationObject: encodeCbor(attestation).toString('base64url'),
    });
  }

  /** Builds the response to the options for a sign-in. */
  use(options: { challenge: string; rpId?: string }, how: PasskeyOptions): object {
    const data = this.#describe(options.rpId ?? '', how, 0);
    const clientDataJSON = this.#describeClient('webauthn.get', options.challenge, how);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.#wrap({
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    });
  }

  #describe(host: string, { isUserVerified = true, counter = 0 }: PasskeyOptions, flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(host), Buffer.from([flags | 1 | (isUserVerified ? 4 : 0)]), count]);
  }

  #describeClient(type: string, challenge: string, { origin }: PasskeyOptions): string {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url');
  }

  #wrap(response: object): object {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }
}
