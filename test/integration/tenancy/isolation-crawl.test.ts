import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { deleteExpiredRows } from '../../../shared/records/expiry.js';
import { EXPIRED_RESETS, findOpenReset } from '../../../shared/resources/access-mails/reset-rows.js';
import { deleteSeenInvoices } from '../../../shared/resources/books/reconciliation/seen-sweep.js';
import { findConnectionsOfAccount } from '../../../shared/resources/connections/hook-queries.js';
import { findOpenInvitation } from '../../../shared/resources/invitations/queries.js';
import type { CallOptions, TestClient, TestResponse } from '../../support/client.js';
import { createOfferFor, needsClub } from '../../support/clubs/clubs.js';
import { createConcurrencyLimit } from '../../support/concurrency-limit.js';
import { chooseCases } from '../../support/count-runs.js';
import {
  buildListPath,
  buildOwnBody,
  buildRequest,
  listCrawledOperations,
} from '../../support/crawl/crawl-requests.js';
import { type Account, fillAccount } from '../../support/crawl/fill-account.js';
import { createRecordFor } from '../../support/records/lifecycle-records.js';
import { invoiceInput } from '../../support/records/samples.js';
import { openSession } from '../../support/records/sign-in.js';
import { storeSuggestion } from '../../support/records/suggestions.js';
import { createSuperuserDatabase } from '../../support/stores.js';
import { compareWithExceptions, NO_DIFFERENCE } from '../../support/tenancy/exceptions.js';
import { describeRead, findUnnamedReads } from '../../support/tenancy/explain-queries.js';
import { listSentQueries } from '../../support/tenancy/sent-queries.js';
import {
  findIdPaths,
  findListedKind,
  findPathRecordKind,
  findProof,
  findRecordKind,
  setIdAt,
  withId,
} from '../../support/text/id-paths.js';
import {
  type DocumentedOperation,
  findRequiredCredential,
  hasCursor,
  isWrite,
  listQueryIds,
} from '../../support/text/openapi-walk.js';
import { getVisibleParts } from '../../support/text/visible-parts.js';
import { useStack } from '../../support/use-stack.js';
import { createConnectionFor } from '../../support/vendors/connection-rows.js';
import { TEST_VENDORS } from '../../support/vendors/texting.js';

const operations = listCrawledOperations();

/**
 * Returns how many requests of an operation may run concurrently. Replays run one at a time,
 * because the API counts the deliveries of only five replays of an account at once and refuses
 * more.
 */
const countMaxConcurrent = ({ path }: DocumentedOperation) => (/\/(replay|recover)$/.test(path) ? 1 : 8);

describe('tenant isolation of all API operations', () => {
  const stack = useStack({ vendors: TEST_VENDORS });
  let intruder: Account;
  /** A signed-in person of the intruder's account, for operations that refuse API keys. */
  let person: TestClient;
  /** Another account, and the sandbox of the intruder's account. */
  let victims: Account[];
  const covered = new Set<string>();

  before(async () => {
    const [alpha, beta] = [await stack.createTenant('Alpha'), await stack.createTenant('Beta')];
    intruder = await fillAccount(stack, 'alpha', alpha.id, alpha.client);
    person = await openSession(stack, { tenantId: alpha.id });
    victims = [
      await fillAccount(stack, 'beta', beta.id, beta.client),
      await fillAccount(stack, 'alpha sandbox', alpha.sandboxId, alpha.sandbox),
    ];
  });

  /**
   * Returns a client with the intruder's key or session. The sign-out gets a separate session,
   * because it ends that session.
   */
  async function openCaller(operation: DocumentedOperation): Promise<TestClient> {
    if (needsClub(operation)) return intruder.club.client;
    if (findRequiredCredential(operation) === 'key') return intruder.client;
    return operation.name === 'DELETE /session' ? openSession(stack, intruder) : person;
  }

  /**
   * Calls an operation as the intruder, and asserts that the response contains no data of a victim.
   */
  async function callAsIntruder(
    operation: DocumentedOperation,
    path: string,
    options: CallOptions = {},
  ): Promise<TestResponse> {
    covered.add(operation.name);
    const response = await (await openCaller(operation)).call(operation.method, path, options);
    for (const victim of victims) {
      const secrets = [victim.canary, victim.tenantId, ...Object.values(victim.ids)];
      const shown = secrets.filter((secret) => response.text.includes(secret));
      expect(shown, `${operation.method} ${path} shows ${victim.name}`).to.deep.equal([]);
    }
    return response;
  }

  /**
   * Calls `tryId` with ids of the victims' records, several at a time. Tries every record of the
   * operation's own kind. Of other kinds, tries only the records that {@link chooseCases} returns.
   */
  async function forEachForeignId(
    operation: DocumentedOperation,
    ownKind: string,
    tryId: (id: string, owner: string) => unknown,
  ): Promise<void> {
    const runLimited = createConcurrencyLimit(countMaxConcurrent(operation));
    const foreign = victims.flatMap(({ name, ids }) =>
      Object.entries(ids).map(([kind, id]) => ({ kind, id, owner: `${kind} of ${name}` })),
    );
    const chosen = [
      ...foreign.filter(({ kind }) => kind === ownKind),
      ...chooseCases(foreign.filter(({ kind }) => kind !== ownKind)),
    ];
    await Promise.all(chosen.map(({ id, owner }) => runLimited(async () => void (await tryId(id, owner)))));
  }

  for (const operation of operations.filter(({ path }) => path.includes('{id}'))) {
    it(`${operation.name} answers another tenant's id in the path like an unknown id`, async () => {
      const { path } = operation;
      const request = buildRequest(operation, intruder.ids);
      const dryRun = { headers: { ...request.headers, 'X-Service-Dry-Run': 'true' } };
      for (const options of [request, ...(isWrite(operation) ? [{ ...request, ...dryRun }] : [])]) {
        const unknown = getVisibleParts(await callAsIntruder(operation, withId(path, newId()), options));
        expect(unknown.status).to.equal(404);
        await forEachForeignId(operation, findPathRecordKind(path), async (id, owner) => {
          const response = await callAsIntruder(operation, withId(path, id), options);
          expect(getVisibleParts(response), owner).to.deep.equal(unknown);
        });
      }
    });
  }

  for (const operation of operations.filter(({ body }) => body && findIdPaths(body.schema).length > 0)) {
    it(`${operation.name} answers another tenant's id in the body like an unknown id`, async () => {
      const { body, path } = operation as DocumentedOperation & {
        body: NonNullable<DocumentedOperation['body']>;
      };
      const own = path.includes('{id}')
        ? withId(path, intruder.ids[findPathRecordKind(path)] as string)
        : path;
      for (const place of findIdPaths(body.schema)) {
        const send = (id: string) =>
          callAsIntruder(operation, own, { body: setIdAt(buildOwnBody(body, intruder.ids), place, id) });
        const unknown = getVisibleParts(await send(newId()));
        expect(unknown.status, place.join('.')).to.equal(400);
        await forEachForeignId(operation, findRecordKind(place), async (id, owner) =>
          expect(getVisibleParts(await send(id)), `${place.join('.')}: ${owner}`).to.deep.equal(unknown),
        );
      }
    });
  }

  for (const operation of operations.filter((one) => listQueryIds(one).length > 0)) {
    it(`${operation.name} finds nothing for another tenant's id in the query, as for an unknown id`, async () => {
      for (const name of listQueryIds(operation)) {
        const unknown = await callAsIntruder(operation, `${operation.path}?${name}=${newId()}`);
        expect(unknown.body.data).to.deep.equal({ items: [], cursor: null, count: 0 });
        await forEachForeignId(operation, name.replace(/_id$/, ''), async (id, owner) => {
          const response = await callAsIntruder(operation, `${operation.path}?${name}=${id}`);
          expect(getVisibleParts(response), `${name}: ${owner}`).to.deep.equal(getVisibleParts(unknown));
        });
      }
    });
  }

  for (const operation of operations.filter(hasCursor)) {
    it(`${operation.name} lists only its own tenant's records, and a search finds no others`, async () => {
      const path = buildListPath(operation, intruder.ids);
      const page = await callAsIntruder(operation, `${path}?limit=200`);
      expect(page.text, 'own records prove isolation').to.include(findProof(operation, intruder));
      const ids = page.body.data.items.map((item: { id: string }) => item.id);
      expect(ids).to.include(intruder.ids[findListedKind(operation.path)]);
      if (!operation.parameters.some((one) => one.name === 'search')) return;
      for (const victim of victims) {
        const found = await callAsIntruder(operation, `${path}?search=${victim.canary}`);
        expect(found.body.data.count).to.equal(0);
        const theirs = await victim.client.get(`${path}?search=${intruder.canary}`);
        expect(theirs.body.data.count).to.equal(0);
      }
    });

    it(`${operation.name} refuses another tenant's cursor like a broken one`, async () => {
      const pathOf = (client: TestClient) => {
        const account = [intruder, ...victims].find((one) => one.client === client) as Account;
        return buildListPath(operation, account.ids);
      };
      const cursorOf = async (client: TestClient) =>
        (await client.get(`${pathOf(client)}?limit=1`)).body.data.cursor as string;
      const own = await cursorOf(intruder.client);
      expect(
        (await callAsIntruder(operation, `${buildListPath(operation, intruder.ids)}?limit=1&cursor=${own}`))
          .status,
      ).to.equal(200);
      const broken = getVisibleParts(
        await callAsIntruder(
          operation,
          `${buildListPath(operation, intruder.ids)}?limit=1&cursor=${own.slice(0, -2)}xx`,
        ),
      );
      expect(broken.status).to.equal(400);
      for (const victim of victims.filter((one) => one.ids[findListedKind(operation.path)])) {
        const foreign = await callAsIntruder(
          operation,
          `${buildListPath(operation, intruder.ids)}?limit=1&cursor=${await cursorOf(victim.client)}`,
        );
        expect(getVisibleParts(foreign), victim.name).to.deep.equal(broken);
      }
    });
  }

  for (const operation of operations.filter(({ path }) => path.includes('{token}'))) {
    // test/integration/exports/export-download.test.ts tests valid and tampered links.
    it(`${operation.name} returns 404 without a valid link`, async () => {
      const path = operation.path.replace('{token}', 'A'.repeat(140));
      expect((await callAsIntruder(operation, path)).status).to.equal(404);
    });
  }

  for (const operation of operations.filter(({ path }) => !/\{(id|token)\}/.test(path))) {
    it(`${operation.name} succeeds and shows nothing of another tenant`, async () => {
      const path = operation.path.replace('{type}', 'invoice.created').replace('{key}', 'assigned');
      const response = await callAsIntruder(operation, path, buildRequest(operation, intruder.ids));
      expect(response.status, response.text).to.be.oneOf([200, 201, 202]);
    });
  }

  for (const operation of operations.filter(({ path }) => path.includes('{id}'))) {
    // The tests above prove isolation only if the same operations succeed with ids of the caller's
    // own tenant.
    it(`${operation.name} works with an id of its own tenant`, async () => {
      const kind = findPathRecordKind(operation.path);
      const ready =
        kind === 'suggestion'
          ? await storeSuggestion(stack, intruder.tenantId, { entity_id: newId() })
          : kind === 'club_offer'
            ? await createOfferFor(operation.name, intruder)
            : kind === 'connection'
              ? await createConnectionFor(operation.name, stack, intruder)
              : await createRecordFor(operation.name, intruder.client);
      // Leave out the example's hash, because it matches no approval.
      const options =
        operation.name === 'POST /approvals/{id}/approve' ? {} : buildRequest(operation, intruder.ids);
      const own = ready ?? (intruder.ids[kind] as string);
      const path = withId(operation.path, own, intruder.ids.saved_method);
      const response = await callAsIntruder(operation, path, options);
      // The connection from `createConnectionFor` uses an API key, so it cannot reconnect.
      const expected = operation.name === 'POST /connections/{id}/reconnect' ? [409] : [200, 201, 202];
      expect(response.status, response.text).to.be.oneOf(expected);
    });
  }

  it('each tenant can use the same Idempotency-Key independently', async () => {
    const [headers, body] = [{ 'Idempotency-Key': newId() }, invoiceInput()];
    const createdIds = new Set<string>();
    for (const { client } of [intruder, ...victims]) {
      const first = await client.post('/invoices', body, { headers });
      expect(first.status, first.text).to.equal(201);
      expect(first.headers['x-idempotency-replay']).to.equal(undefined);
      const again = await client.post('/invoices', body, { headers });
      expect(again.headers['x-idempotency-replay']).to.equal('true');
      expect(again.text).to.equal(first.text);
      createdIds.add(first.body.id);
    }
    expect(createdIds.size).to.equal(1 + victims.length);
  });

  it('the crawl changed no record of another tenant and added nothing to its audit log', async () => {
    for (const victim of victims) {
      for (const [path, text] of victim.textByPath)
        expect((await victim.client.get(path)).text, path).to.equal(text);
      const [entries] = await stack.rows<{ count: number }>(
        victim.tenantId,
        `select count(*)::int as count from audit_entries where actor_id is not null and actor_id not in (select id from api_keys)`,
      );
      expect(entries?.count, `${victim.name}: audit entries by another tenant`).to.equal(0);
    }
  });

  it('the crawl covered every operation of the OpenAPI document', () => {
    expect(operations.map(({ name }) => name).filter((name) => !covered.has(name))).to.deep.equal([]);
  });

  /** Sends queries of exceptions in docs/scaling.md that no operation of the crawl sends. */
  async function sendOtherQueries(): Promise<void> {
    const { db } = stack.runtime;
    await findOpenInvitation(db, 'unknown');
    await findOpenReset(db, 'unknown');
    await findConnectionsOfAccount(db, Buffer.alloc(32));
    await db.runAndRollBack([intruder.tenantId], async (tx) => {
      await deleteExpiredRows(tx, [EXPIRED_RESETS], 1);
      await deleteSeenInvoices(tx, 1);
    });
  }

  it('every query that the crawl sent names the tenant, except those of docs/scaling.md', async () => {
    await sendOtherQueries();
    const queries = listSentQueries(stack.runtime.db);
    expect(queries.size).to.be.above(400);
    const found = await findUnnamedReads(await createSuperuserDatabase(), queries);
    expect(compareWithExceptions('query', found.map(describeRead))).to.deep.equal(NO_DIFFERENCE);
  });
});
