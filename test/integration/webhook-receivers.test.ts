import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { verify } from '../../docs/webhooks/verify.js';
import { verifyV1a } from '../../docs/webhooks/verify-v1a.js';
import { parseSecret, signatureHeader } from '../../shared/events/signing.js';
import { PROJECT, useProcesses } from '../support/processes.js';
import { scriptCommand } from '../support/run-script.js';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const pair = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const base64 = (text = '') => Buffer.from(text, 'base64url').toString('base64');
const PRIVATE_KEY = `whsk_${base64(pair.d)}`;
const PUBLIC_KEY = `whpk_${base64(pair.x)}`;

interface Delivery {
  headers: Record<string, string>;
  body: Buffer;
}

/** A delivery as the product signs it. */
function deliveryOf({ secrets = [SECRET], age = 0, id = randomUUID() as string, note = '' } = {}): Delivery {
  const body = Buffer.from(JSON.stringify({ id, type: 'invoice.paid', data: { object: { note } } }));
  const timestampSeconds = Math.floor(Date.now() / 1000) - age;
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': `${timestampSeconds}`,
      'webhook-signature': signatureHeader({
        ...{ id, timestampSeconds, body },
        secrets: secrets.map(parseSecret),
      }),
    },
    body,
  };
}

const changed = (delivery: Delivery, name: string, to: (value: string) => string): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, [name]: to(delivery.headers[name] ?? '') },
});

describe('docs/webhooks: verify and verifyV1a', () => {
  const VERIFIERS = {
    v1: { check: verify, key: SECRET, secrets: [SECRET], other: OTHER },
    v1a: {
      check: verifyV1a,
      key: PUBLIC_KEY,
      secrets: [PRIVATE_KEY],
      other: `whsk_${base64(OTHER.slice(6))}`,
    },
  };
  for (const [scheme, { check, key, secrets, other }] of Object.entries(VERIFIERS)) {
    const refuse = ({ headers, body }: Delivery, why: string) =>
      expect(() => check(key, headers, body), why).to.throw('not from Tow Dispatch, or too old');

    it(`${scheme}: take a delivery, give the event, and pass over signatures of others`, () => {
      const delivery = deliveryOf({ secrets: [other, ...secrets, OTHER], note: 'Zoë – 5 €' });
      const event = check(key, delivery.headers, delivery.body);
      expect(event.data.object.note).to.equal('Zoë – 5 €');
      expect(event.id).to.equal(delivery.headers['webhook-id']);
      for (const age of [290, -290]) {
        const { headers, body } = deliveryOf({ secrets, age });
        check(key, headers, body);
      }
    });

    it(`${scheme}: refuse what is old, changed, signed by another or not at all`, () => {
      const good = () => deliveryOf({ secrets });
      refuse(deliveryOf({ secrets, age: 310 }), 'old');
      refuse(deliveryOf({ secrets, age: -310 }), 'of the future');
      refuse(deliveryOf({ secrets: [other] }), 'of another');
      refuse({ ...good(), body: Buffer.from('{}') }, 'another body');
      refuse({ ...good(), body: Buffer.concat([good().body, Buffer.from(' ')]) }, 'a blank more');
      refuse(
        changed(good(), 'webhook-id', () => randomUUID()),
        'another id',
      );
      refuse(
        changed(good(), 'webhook-timestamp', (at) => `${Number(at) - 1}`),
        'another time',
      );
      refuse(
        changed(good(), 'webhook-timestamp', () => 'now'),
        'no time',
      );
      for (const signature of ['', 'v1,', 'v1a,', 'v1', 'v1,AAAA', 'v1a,AAAA', 'v1,ÿÿÿ'])
        refuse(
          changed(good(), 'webhook-signature', () => signature),
          signature,
        );
      const swap = (text: string) => text.replace(/^v1a?,/, scheme === 'v1' ? 'v1a,' : 'v1,');
      refuse(changed(good(), 'webhook-signature', swap), 'the other scheme');
      for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
        const { [name]: _removed, ...headers } = good().headers;
        refuse({ ...good(), headers }, `without ${name}`);
      }
    });
  }

  it('v1 takes no empty secret, with which anybody could sign', () => {
    const { headers, body } = deliveryOf();
    for (const secret of ['', 'whsec_', 'whsec_AAAA'])
      expect(() => verify(secret, headers, body), secret).to.throw();
  });
});

describe('docs/webhooks', () => {
  const processes = useProcesses();
  let folder: string;

  // By themselves, as somebody has them who copied them: compiled strictly, with nothing of this project but the types of Node.js.
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
  for (const [what, [key, secret]] of Object.entries(SIGNERS)) {
    it(`receiver.ts, with ${what}, prints each event once and answers 400 to what is not ours`, async () => {
      const receiver = processes.start({ command: ['node', 'receiver.js', key, '0'], cwd: folder });
      const [, address = ''] = await receiver.prints(/listening on (http:\S+)/);
      const send = async ({ headers, body }: Delivery) =>
        (await fetch(address, { method: 'POST', headers, body: new Uint8Array(body) })).status;
      const delivery = deliveryOf({ secrets: [secret], note: 'first' });
      expect(await send(delivery)).to.equal(204);
      await receiver.prints(new RegExp(`verified invoice.paid ${delivery.headers['webhook-id']} .*first`));
      expect(await send(delivery), 'once more').to.equal(204);
      expect(await send(deliveryOf({ secrets: [OTHER] }))).to.equal(400);
      await receiver.prints(/refused .*: not from Tow Dispatch/);
      expect(receiver.stdout.match(/verified/g), receiver.output).to.have.length(1);
      await receiver.stop();
    });
  }

  it('receiver.ts says how it is called, and takes its secret and port from the environment', async () => {
    const command = scriptCommand('docs/webhooks/receiver.ts');
    const told = await processes.run({ command });
    expect(told.code).to.equal(2);
    expect(told.output).to.include('usage: npx tsx docs/webhooks/receiver.ts');
    const receiver = processes.start({ command, env: { WEBHOOK_SECRET: SECRET, PORT: '0' } });
    await receiver.prints(/listening on http:/);
    await receiver.stop();
  });

  it('README.md shows verify.ts as it is: 12 lines that do something', async () => {
    const [readme, source] = await Promise.all(
      ['README.md', 'verify.ts'].map((name) => readFile(join(PROJECT, 'docs/webhooks', name), 'utf8')),
    );
    expect(readme).to.include(`\`\`\`ts\n${source}\`\`\``);
    expect(source?.split('\n').filter((line) => line && !line.startsWith('/**'))).to.have.length.at.most(12);
    expect(readme?.trimEnd().split('\n').length).to.be.at.most(120);
  });
});
