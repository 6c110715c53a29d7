import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { verify } from '../../../../docs/webhooks/verify.js';
import { verifyV1a } from '../../../../docs/webhooks/verify-v1a.js';
import { buildSignatureHeader, parseSigningSecret } from '../../../../shared/events/signing.js';
import { PROJECT, useProcesses } from '../../../support/load/processes.js';
import { buildScriptCommand } from '../../../support/network/run-script.js';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const pair = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const base64 = (text = '') => Buffer.from(text, 'base64url').toString('base64');
const PRIVATE_KEY = `whsk_${base64(pair.d)}`;
const PUBLIC_KEY = `whpk_${base64(pair.x)}`;

interface Delivery {
  headers: Record<string, string>;
  body: Buffer;
}

/** Signs a delivery as the product does. */
function signDelivery({
  secrets = [SECRET],
  age = 0,
  id = randomUUID() as string,
  note = '',
} = {}): Delivery {
  const body = Buffer.from(JSON.stringify({ id, type: 'invoice.paid', data: { object: { note } } }));
  const timestampSeconds = Math.floor(Date.now() / 1000) - age;
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': `${timestampSeconds}`,
      'webhook-signature': buildSignatureHeader({
        id,
        timestampSeconds,
        body,
        secrets: secrets.map(parseSigningSecret),
      }),
    },
    body,
  };
}

const changeHeader = (delivery: Delivery, name: string, to: (value: string) => string): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, [name]: to(delivery.headers[name] ?? '') },
});

describe('docs/webhooks: verify and verifyV1a', () => {
  const VERIFIERS = {
    v1: { check: verify, key: SECRET, secrets: [SECRET], other: OTHER_SECRET },
    v1a: {
      check: verifyV1a,
      key: PUBLIC_KEY,
      secrets: [PRIVATE_KEY],
      other: `whsk_${base64(OTHER_SECRET.slice(6))}`,
    },
  };
  for (const [scheme, { check, key, secrets, other }] of Object.entries(VERIFIERS)) {
    const expectRefusal = ({ headers, body }: Delivery, reason: string) =>
      expect(() => check(key, headers, body), reason).to.throw('not from Tow Dispatch, or too old');

    it(`${scheme}: the verifier returns the event of a delivery and ignores signatures with other keys`, () => {
      const delivery = signDelivery({ secrets: [other, ...secrets, OTHER_SECRET], note: 'Zoë – 5 €' });
      const event = check(key, delivery.headers, delivery.body);
      expect(event.data.object.note).to.equal('Zoë – 5 €');
      expect(event.id).to.equal(delivery.headers['webhook-id']);
      for (const age of [290, -290]) {
        const { headers, body } = signDelivery({ secrets, age });
        check(key, headers, body);
      }
    });

    it(`${scheme}: the verifier refuses deliveries that are too old, changed, unsigned or signed with another key`, () => {
      const good = () => signDelivery({ secrets });
      expectRefusal(signDelivery({ secrets, age: 310 }), 'old');
      expectRefusal(signDelivery({ secrets, age: -310 }), 'from the future');
      expectRefusal(signDelivery({ secrets: [other] }), 'signed with another key');
      expectRefusal({ ...good(), body: Buffer.from('{}') }, 'another body');
      expectRefusal({ ...good(), body: Buffer.concat([good().body, Buffer.from(' ')]) }, 'an extra space');
      expectRefusal(
        changeHeader(good(), 'webhook-id', () => randomUUID()),
        'another id',
      );
      expectRefusal(
        changeHeader(good(), 'webhook-timestamp', (at) => `${Number(at) - 1}`),
        'another time',
      );
      expectRefusal(
        changeHeader(good(), 'webhook-timestamp', () => 'now'),
        'no time',
      );
      for (const signature of ['', 'v1,', 'v1a,', 'v1', 'v1,AAAA', 'v1a,AAAA', 'v1,ÿÿÿ'])
        expectRefusal(
          changeHeader(good(), 'webhook-signature', () => signature),
          signature,
        );
      const swap = (text: string) => text.replace(/^v1a?,/, scheme === 'v1' ? 'v1a,' : 'v1,');
      expectRefusal(changeHeader(good(), 'webhook-signature', swap), 'the other scheme');
      for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
        const { [name]: _removed, ...headers } = good().headers;
        expectRefusal({ ...good(), headers }, `without ${name}`);
      }
    });
  }

  it('v1: the verifier refuses an empty or short secret, with which anyone could sign', () => {
    const { headers, body } = signDelivery();
    for (const secret of ['', 'whsec_', 'whsec_AAAA'])
      expect(() => verify(secret, headers, body), secret).to.throw();
  });
});

describe('docs/webhooks: receiver and README', () => {
  const processes = useProcesses();
  let folder: string;

  // A user copies only these files. They must therefore compile with strict checks in a folder
  // without the project's other files. Only the types of Node.js are available there.
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tow-receiver-'));
    await cp(join(PROJECT, 'docs/webhooks'), folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    const compiler = ['node', join(PROJECT, 'node_modules/typescript/bin/tsc')];
    const options = '--strict --module nodenext --target es2022 --types node --skipLibCheck'.split(' ');
    const { code, output } = await processes.run({
      command: [...compiler, ...options, 'receiver.ts'],
      cwd: folder,
    });
    expect(code, output).to.equal(0);
  });
  after(() => rm(folder, { recursive: true }));

  const SIGNERS = { 'a secret': [SECRET, SECRET], 'a public key': [PUBLIC_KEY, PRIVATE_KEY] } as const;
  for (const [keyKind, [key, secret]] of Object.entries(SIGNERS)) {
    it(`docs/webhooks/receiver.ts with ${keyKind} prints each event once and responds 400 to foreign signatures`, async () => {
      const receiver = processes.start({ command: ['node', 'receiver.js', key, '0'], cwd: folder });
      const [, address = ''] = await receiver.waitForOutput(/listening on (http:\S+)/);
      const send = async ({ headers, body }: Delivery) =>
        (await fetch(address, { method: 'POST', headers, body: new Uint8Array(body) })).status;
      const delivery = signDelivery({ secrets: [secret], note: 'first' });
      expect(await send(delivery)).to.equal(204);
      await receiver.waitForOutput(
        new RegExp(`verified invoice.paid ${delivery.headers['webhook-id']} .*first`),
      );
      expect(await send(delivery), 'once more').to.equal(204);
      expect(await send(signDelivery({ secrets: [OTHER_SECRET] }))).to.equal(400);
      await receiver.waitForOutput(/refused .*: not from Tow Dispatch/);
      expect(receiver.stdout.match(/verified/g), receiver.output).to.have.length(1);
      await receiver.stop();
    });
  }

  it('docs/webhooks/receiver.ts prints its usage, and reads its secret and port from the environment', async () => {
    const command = buildScriptCommand('docs/webhooks/receiver.ts');
    const usage = await processes.run({ command });
    expect(usage.code).to.equal(2);
    expect(usage.output).to.include('usage: npx tsx docs/webhooks/receiver.ts');
    const receiver = processes.start({ command, env: { WEBHOOK_SECRET: SECRET, PORT: '0' } });
    await receiver.waitForOutput(/listening on http:/);
    await receiver.stop();
  });

  it('docs/webhooks/README.md shows verify.ts unchanged, and verify.ts has at most 12 lines of code', async () => {
    const [readme, source] = await Promise.all(
      ['README.md', 'verify.ts'].map((name) => readFile(join(PROJECT, 'docs/webhooks', name), 'utf8')),
    );
    expect(readme).to.include(`\`\`\`ts\n${source}\`\`\``);
    expect(source?.split('\n').filter((line) => line && !line.startsWith('/**'))).to.have.length.at.most(12);
    expect(readme?.trimEnd().split('\n').length).to.be.at.most(120);
  });
});
