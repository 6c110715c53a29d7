import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { deriveKey, unseal } from '../../../../shared/platform/crypto.js';
import type { TestResponse } from '../../../support/client.js';
import { expectError, listValidationErrors } from '../../../support/expect-error.js';
import { endpointInput } from '../../../support/records/samples.js';
import { useStack, useTenant } from '../../../support/use-stack.js';

const HOUR_MS = 3_600_000;
const HEADER_VALUE = 'open-says-me-4711';

interface SecretRow {
  id: string;
  scheme: string;
  secret_sealed: string;
  public_key: string | null;
}

describe('secrets of webhook endpoints', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const createEndpoint = async (input: Record<string, unknown> = {}): Promise<TestResponse['body']> => {
    const response = await tenant.client.post('/webhook-endpoints', endpointInput(input));
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const postRotation = (id: string, body?: unknown, headers = {}) =>
    tenant.client.post(`/webhook-endpoints/${id}/rotate-secret`, body, { headers });
  const rotateSecret = async (id: string, overlap_hours?: number): Promise<TestResponse['body']> => {
    const response = await postRotation(id, overlap_hours === undefined ? undefined : { overlap_hours });
    expect(response.status, response.text).to.equal(200);
    return response.body;
  };
  /** Returns the endpoint's decrypted secrets by row id. */
  const readSecrets = async (
    endpointId: string,
  ): Promise<Map<string, { text: string; publicKey: string | null }>> => {
    const key = deriveKey(stack.runtime.config.secretKey, 'webhook-secrets');
    const text = 'select id, scheme, secret_sealed, public_key from webhook_secrets where endpoint_id = $1';
    const rows = await stack.rows<SecretRow>(tenant.id, text, [endpointId]);
    return new Map(
      rows.map((row) => [row.id, { text: unseal(key, row.secret_sealed), publicKey: row.public_key }]),
    );
  };
  const readSecretTexts = async (endpointId: string) =>
    [...(await readSecrets(endpointId)).values()].map(({ text }) => text);
  const listExpiries = ({ secrets }: TestResponse['body']): (string | null)[] =>
    secrets.map(({ expires_at }: { expires_at: string | null }) => expires_at);

  it('a webhook secret has 32 random bytes, and only the response that creates it shows it', async () => {
    const { secret, ...record } = await createEndpoint();
    expect(secret).to.match(/^whsec_/);
    expect(Buffer.from(secret.slice(6), 'base64')).to.have.length(32);
    expect(await readSecretTexts(record.id)).to.deep.equal([secret]);
    expect((await createEndpoint()).secret).to.not.equal(secret);
    const path = `/webhook-endpoints/${record.id}`;
    const others = [
      await tenant.client.get(path),
      await tenant.client.get('/webhook-endpoints?limit=200'),
      await tenant.client.patch(path, { description: 'x' }),
      await postRotation(record.id),
      await tenant.client.delete(path),
    ];
    for (const { text } of others) expect(text).to.not.include(secret);
    const [shown] = record.secrets;
    expect(record.secrets).to.deep.equal([
      { id: shown.id, scheme: 'v1', created_at: shown.created_at, expires_at: null },
    ]);
  });

  it('a repeated Idempotency-Key returns the same webhook secret to the same API key, and 422 to another', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = endpointInput({ headers: { 'x-a': HEADER_VALUE } });
    const first = await tenant.client.post('/webhook-endpoints', body, { headers });
    const again = await tenant.client.post('/webhook-endpoints', body, { headers });
    expect(first.body.secret).to.match(/^whsec_/);
    expect(again.text).to.equal(first.text);
    expect(again.headers['x-idempotency-replay']).to.equal('true');
    const other = stack.createClient(await stack.createKey(tenant.id));
    const otherBody = endpointInput({ headers: { 'x-a': `${HEADER_VALUE}!` } });
    for (const response of [
      await other.post('/webhook-endpoints', body, { headers }),
      await tenant.client.post('/webhook-endpoints', otherBody, { headers }),
    ])
      expectError(response, 422, 'idempotency_key_reused');

    const own = { 'idempotency-key': randomUUID() };
    const next = await postRotation(first.body.id, {}, own);
    expect((await postRotation(first.body.id, {}, own)).text).to.equal(next.text);
    expect(await readSecretTexts(first.body.id)).to.have.members([first.body.secret, next.body.secret]);
  });

  it('after rotate-secret the old secret also signs for 24 hours, or for overlap_hours', async () => {
    const made = await createEndpoint();
    const next = await rotateSecret(made.id);
    expect(next.secret).to.not.equal(made.secret);
    expect(next.updated_at).to.not.equal(made.updated_at);
    expect(await readSecretTexts(made.id)).to.have.members([made.secret, next.secret]);
    const [current, old] = listExpiries(next);
    expect(current).to.equal(null);
    expect(Date.parse(old as string)).to.be.closeTo(Date.now() + 24 * HOUR_MS, 60_000);
    expect(next.secrets[1].id).to.equal(made.secrets[0].id);
    const third = await rotateSecret(made.id, 168);
    const [, second, first] = listExpiries(third);
    expect(Date.parse(second as string)).to.be.closeTo(Date.now() + 168 * HOUR_MS, 60_000);
    expect(first, 'an expiry is never extended').to.equal(old);
    const fourth = await rotateSecret(made.id, 1);
    for (const end of listExpiries(fourth).slice(1))
      expect(Date.parse(end as string), 'an expiry can be shortened').to.be.closeTo(
        Date.now() + HOUR_MS,
        60_000,
      );
    expect(listValidationErrors(await postRotation(made.id, { overlap_hours: 169 }))).to.deep.equal([
      'overlap_hours max',
    ]);
  });

  it('rotate-secret with overlap_hours 0 deletes the old webhook secrets immediately', async () => {
    const made = await createEndpoint({ asymmetric: true });
    await rotateSecret(made.id);
    const last = await rotateSecret(made.id, 0);
    expect(listExpiries(last)).to.deep.equal([null, null]);
    const texts = await readSecretTexts(made.id);
    expect(texts).to.have.length(2).and.include(last.secret);
  });

  it('rotate-secret keeps at most five old webhook secrets and deletes expired ones', async () => {
    const { id } = await createEndpoint();
    for (let nth = 0; nth < 5; nth += 1) await rotateSecret(id);
    expectError(await postRotation(id), 409, 'conflict');
    const expire = `update webhook_secrets set expires_at = now() - interval '1 second' where id = (
      select id from webhook_secrets where endpoint_id = $1 and expires_at is not null limit 1)`;
    await stack.rows(tenant.id, expire, [id]);
    const seen = (await tenant.client.get(`/webhook-endpoints/${id}`)).body;
    expect(seen.secrets).to.have.length(5);
    expect((await rotateSecret(id)).secrets).to.have.length(6);
    expect(await readSecretTexts(id)).to.have.length(6);
    expectError(await postRotation(id), 409, 'conflict');
    expect((await rotateSecret(id, 0)).secrets).to.have.length(1);
  });

  it('two concurrent rotations create two webhook secrets, of which one is current', async () => {
    const made = await createEndpoint();
    const responses = await Promise.all([rotateSecret(made.id), rotateSecret(made.id)]);
    expect(await readSecretTexts(made.id)).to.have.members([
      made.secret,
      ...responses.map(({ secret }) => secret),
    ]);
    const { secrets } = (await tenant.client.get(`/webhook-endpoints/${made.id}`)).body;
    expect(listExpiries({ secrets }).filter((end) => end === null)).to.have.length(1);
  });

  it('an ed25519 webhook secret is a matching key pair, and its public key is shown', async () => {
    const made = await createEndpoint({ asymmetric: true });
    expect(made.secrets.map(({ scheme }: { scheme: string }) => scheme)).to.deep.equal(['v1', 'v1a']);
    const v1a = [...(await readSecrets(made.id)).values()].find(({ publicKey }) => publicKey);
    const bytes = Buffer.from(v1a?.text.replace(/^whsk_/, '') ?? '', 'base64');
    expect(bytes).to.have.length(64);
    const head = Buffer.from('302e020100300506032b657004220420', 'hex');
    const key = createPrivateKey({
      key: Buffer.concat([head, bytes.subarray(0, 32)]),
      format: 'der',
      type: 'pkcs8',
    });
    const point = Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');
    expect(bytes.subarray(32).equals(point)).to.equal(true);
    expect(made.public_keys).to.deep.equal([`whpk_${point.toString('base64')}`]);

    const next = await rotateSecret(made.id);
    expect(next.public_keys).to.have.length(2);
    expect(next.public_keys[1]).to.equal(made.public_keys[0]);
    expect(next.secrets).to.have.length(4);
  });

  it('setting asymmetric adds and removes the ed25519 key pair, and the v1 secret stays', async () => {
    const made = await createEndpoint();
    const path = `/webhook-endpoints/${made.id}`;
    const on = (await tenant.client.patch(path, { asymmetric: true })).body;
    expect(on.asymmetric).to.equal(true);
    expect(on.public_keys).to.have.length(1);
    expect(on.updated_at).to.not.equal(made.updated_at);
    expect((await tenant.client.patch(path, { asymmetric: true })).body).to.deep.equal(on);
    const off = (await tenant.client.patch(path, { asymmetric: false })).body;
    expect(off).to.deep.include({ asymmetric: false, public_keys: [], secrets: made.secrets });
    expect(await readSecretTexts(made.id)).to.deep.equal([made.secret]);
    expect((await rotateSecret(made.id)).public_keys).to.deep.equal([]);
  });

  it('DELETE /webhook-endpoints/{id} destroys the secrets and returns the record, and later requests are 404', async () => {
    const { id, url } = await createEndpoint({ headers: { 'x-a': 'b' }, asymmetric: true });
    const path = `/webhook-endpoints/${id}`;
    const deleted = await tenant.client.delete(path);
    expect(deleted.status, deleted.text).to.equal(200);
    expect(deleted.body).to.deep.include({ id, url, enabled: false, header_names: [], secrets: [] });
    for (const response of [
      await tenant.client.get(path),
      await tenant.client.patch(path, { enabled: true }),
      await postRotation(id),
      await tenant.client.delete(path),
      await tenant.client.delete(`/webhook-endpoints/${randomUUID()}`),
    ])
      expectError(response, 404, 'not_found');
    const text = `select headers_sealed, enabled, deleted_at is not null as deleted,
      (select count(*)::int from webhook_secrets where endpoint_id = $1) as secrets from webhook_endpoints where id = $1`;
    expect(await stack.rows(tenant.id, text, [id])).to.deep.equal([
      { headers_sealed: null, enabled: false, deleted: true, secrets: 0 },
    ]);
  });

  it('webhook secrets and header values are stored sealed, and no table holds them in clear text', async () => {
    const headers = { 'X-Receiver': HEADER_VALUE };
    const idempotent = { headers: { 'idempotency-key': randomUUID() } };
    const made = await tenant.client.post(
      '/webhook-endpoints',
      endpointInput({ headers, asymmetric: true }),
      idempotent,
    );
    const next = await postRotation(made.body.id, {}, { 'idempotency-key': randomUUID() });
    await tenant.client.patch(`/webhook-endpoints/${made.body.id}`, { headers: { 'X-Other': HEADER_VALUE } });
    const clear = [made.body.secret, next.body.secret, ...(await readSecretTexts(made.body.id))];
    // Search for the base64 part without the prefix, because that part alone would be enough to
    // sign.
    const secrets = [HEADER_VALUE, ...clear.map((text: string) => text.slice('whsk_'.length + 1, -2))];
    const tables = await stack.rows<{ name: string }>(
      tenant.id,
      "select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and has_table_privilege(c.oid, 'select')",
    );
    expect(tables.map(({ name }) => name)).to.include.members([
      'webhook_endpoints',
      'webhook_secrets',
      'audit_entries',
      'idempotency_keys',
      'operations',
      'events',
    ]);
    for (const { name } of tables) {
      const rows = await stack.rows<{ row: string }>(tenant.id, `select t::text as row from ${name} t`);
      for (const { row } of rows)
        for (const secret of secrets) expect(row.includes(secret), `a secret in ${name}`).to.equal(false);
    }
    const [kept] = await stack.rows<{ sealed: string }>(
      tenant.id,
      'select headers_sealed as sealed from webhook_endpoints where id = $1',
      [made.body.id],
    );
    const key = deriveKey(stack.runtime.config.secretKey, 'webhook-headers');
    expect(JSON.parse(unseal(key, kept?.sealed as string))).to.deep.equal({ 'X-Other': HEADER_VALUE });
  });
});
