import { expect } from 'chai';
import { STORED_JSON_TABLES } from '../../../shared/registry/tables.js';
import { storedJsonSweep } from '../../../workers/clock/store-json.js';
import { invoiceInput, withoutLinks } from '../../support/records/samples.js';
import { useOwnStack, useTenant } from '../../support/use-stack.js';

/** Characters that JSON, SQL or the end of a stored text might treat differently. */
const ODD_TEXT = `a "quote" \\ back\\slash {brace}} 'single' $function$ %s 🚚 \u2028 é`;

interface StoredRow {
  id: string;
  stored_json: string | null;
  stored_json_version: number | null;
}

describe('the JSON text beside a row', () => {
  const stack = useOwnStack();
  const tenant = useTenant(stack);

  const createRecords = async () => ({
    invoices: await tenant.client.post('/invoices', invoiceInput({ notes: ODD_TEXT })),
    'work-orders': await tenant.client.post('/work-orders', { service_type: 'tow', notes: ODD_TEXT }),
    customers: await tenant.client.post('/customers', { company_name: ODD_TEXT }),
  });

  const readRow = async (table: string, id: string): Promise<StoredRow> => {
    const rows = await stack.rows<StoredRow>(
      tenant.id,
      `select id, stored_json, stored_json_version from ${table} where id = $1`,
      [id],
    );
    return rows[0] as StoredRow;
  };

  /** Changes rows as if the trigger did not exist. */
  const updateWithoutTrigger = async (
    table: string,
    tenantId: string,
    set: string,
    values: unknown[] = [],
  ) => {
    await stack.runAsOwner(`alter table ${table} disable trigger store_json`);
    await stack.rows(tenantId, `update ${table} set ${set}`, values);
    await stack.runAsOwner(`alter table ${table} enable trigger store_json`);
  };

  const sweep = () =>
    stack.runtime.db.transaction([tenant.id], (tx) => storedJsonSweep.changeRows(tx, storedJsonSweep.limit));

  for (const { table, stored } of STORED_JSON_TABLES) {
    const path = table.replace('_', '-') as 'invoices' | 'work-orders' | 'customers';

    describe(table, () => {
      let id: string;
      let body: Record<string, unknown>;

      before(async () => {
        const created = (await createRecords())[path];
        expect(created.status, JSON.stringify(created.body)).to.equal(201);
        body = created.body;
        id = created.body.id;
      });

      const readFromList = async () => {
        const { body: page } = await tenant.client.get(`/${path}?limit=10`);
        return page.data.items.find((item: { id: string }) => item.id === id);
      };

      it('a write stores the text, and the record and the list are read from it', async () => {
        const row = await readRow(table, id);
        expect(row.stored_json_version).to.equal(stored.version);
        const forge = "stored_json = replace(stored_json, 'single', 'forged') where id = $1";
        await updateWithoutTrigger(table, tenant.id, forge, [id]);
        const forged = ODD_TEXT.replace('single', 'forged');
        const { body: read } = await tenant.client.get(`/${path}/${id}`);
        expect(Object.values(read)).to.include(forged);
        expect(Object.values(await readFromList())).to.include(forged);
        await stack.rows(tenant.id, `update ${table} set stored_json = null where id = $1`, [id]);
        expect((await tenant.client.get(`/${path}/${id}`)).body).to.deep.equal(body);
      });

      it('a text of another version, or none, is not read', async () => {
        for (const version of [stored.version - 1, stored.version + 1, null]) {
          const text = version === null ? null : '{"is_forged":true}';
          const set = 'stored_json = $2, stored_json_version = $3 where id = $1';
          await updateWithoutTrigger(table, tenant.id, set, [id, text, version]);
          expect((await tenant.client.get(`/${path}/${id}`)).body, `${version}`).to.deep.equal(body);
          const { line_items: _, ...item } = withoutLinks(body);
          expect(await readFromList(), `${version}`).to.deep.equal(item);
        }
        expect((await readRow(table, id)).stored_json).to.equal(null);
      });

      it('an expanded list renders a record without a text', async () => {
        const expand = table === 'work_orders' ? 'names' : 'external_ids';
        const readExpanded = async () =>
          (await tenant.client.get(`/${path}?limit=10&expand=${expand}`)).body.data.items;
        const set = 'stored_json = null, stored_json_version = null where id = $1';
        const stored = await readExpanded();
        await updateWithoutTrigger(table, tenant.id, set, [id]);
        expect(await readExpanded()).to.deep.equal(stored);
      });

      it('the response of a write shows the record, although the write stored no text', async () => {
        const field = table === 'customers' ? 'city' : 'notes';
        const set = 'stored_json = null, stored_json_version = null where id = $1';
        await updateWithoutTrigger(table, tenant.id, set, [id]);
        await stack.runAsOwner(`alter table ${table} disable trigger store_json`);
        const { status, body: changed } = await tenant.client
          .patch(`/${path}/${id}`, { [field]: 'new text' })
          .finally(() => stack.runAsOwner(`alter table ${table} enable trigger store_json`));
        expect([status, changed[field]]).to.deep.equal([200, 'new text']);
        expect(changed).to.deep.equal((await tenant.client.get(`/${path}/${id}`)).body);
        body = changed;
      });

      it('the clock stores missing texts without changing the version that clients see', async () => {
        await stack.rows(tenant.id, 'delete from stored_json_walks');
        expect(await sweep()).to.be.greaterThan(0);
        expect((await readRow(table, id)).stored_json_version).to.equal(stored.version);
        expect((await tenant.client.get(`/${path}/${id}`)).body).to.deep.equal(body);
        expect(await sweep(), 'nothing is left').to.equal(0);
      });

      it('a change stores the changed text', async () => {
        const field = table === 'customers' ? 'city' : 'notes';
        const { status } = await tenant.client.patch(`/${path}/${id}`, { [field]: 'changed' });
        expect(status).to.equal(200);
        expect(JSON.parse(`${(await readRow(table, id)).stored_json}`.replace(/(?<!\})$/, '}'))).to.include({
          [field]: 'changed',
        });
      });
    });
  }

  /** Creates an account with five invoices that have no text of the current version. */
  const createAccountToWalk = async () => {
    const account = await stack.createTenant();
    for (let nth = 0; nth < 5; nth += 1) await account.client.post('/invoices', invoiceInput());
    await updateWithoutTrigger('invoices', account.id, 'stored_json = null, stored_json_version = 1');
    return account;
  };

  const countMissing = async (tenantId: string) => {
    const rows = await stack.rows(tenantId, 'select from invoices where stored_json_version = 1');
    return rows.length;
  };

  it('a walk ends at the limit of a step and goes on where it ended', async () => {
    const { id } = await createAccountToWalk();
    const step = () => stack.runtime.db.transaction([id], (tx) => storedJsonSweep.changeRows(tx, 3));
    const left = [5];
    while ((await step()) > 0) left.push(await countMissing(id));
    expect(left.at(-1)).to.equal(0);
    for (const [nth, missing] of left.slice(1).entries())
      expect((left[nth] as number) - missing, `step ${nth}`).to.be.at.most(3);
  });

  it('a pass advances the walks of all accounts by the same share', async () => {
    const ids = [(await createAccountToWalk()).id, (await createAccountToWalk()).id];
    // The sweep walks each table of each account separately. Two accounts with three tables make
    // six walks, so each walk gets one of the six rows.
    await stack.runtime.db.transaction(ids, (tx) => storedJsonSweep.changeRows(tx, 6));
    expect(await Promise.all(ids.map(countMissing))).to.deep.equal([4, 4]);
  });

  it('a row that a write has locked is left to that write', async () => {
    const { body } = await tenant.client.post('/invoices', invoiceInput());
    await stack.rows(tenant.id, 'delete from stored_json_walks');
    await updateWithoutTrigger('invoices', tenant.id, 'stored_json_version = 1 where id = $1', [body.id]);
    await stack.runtime.db.transaction([tenant.id], async (tx) => {
      await tx.query({ text: 'select from invoices where id = $1 for update', values: [body.id] });
      await sweep();
    });
    expect((await readRow('invoices', body.id)).stored_json_version).to.equal(1);
    await tenant.client.patch(`/invoices/${body.id}`, { notes: 'changed' });
    expect((await readRow('invoices', body.id)).stored_json_version).to.not.equal(1);
  });

  it('a row that an insert of another record refers to is not skipped', async () => {
    const { body } = await tenant.client.post('/customers', { company_name: 'Club' });
    await stack.rows(tenant.id, 'delete from stored_json_walks');
    await updateWithoutTrigger('customers', tenant.id, 'stored_json_version = 1 where id = $1', [body.id]);
    await stack.runtime.db.transaction([tenant.id], async (tx) => {
      await tx.query({ text: 'select from customers where id = $1 for key share', values: [body.id] });
      await sweep();
    });
    expect((await readRow('customers', body.id)).stored_json_version).to.not.equal(1);
  });

  it('no other trigger changes a row after the trigger that stores its text', async () => {
    const BEFORE_EACH_ROW = 3;
    for (const { table } of STORED_JSON_TABLES) {
      const triggers = await stack.rows<{ tgname: string }>(
        tenant.id,
        `select tgname from pg_trigger where tgrelid = $1::regclass and tgtype & 3 = ${BEFORE_EACH_ROW} order by tgname`,
        [table],
      );
      expect(triggers.at(-1)?.tgname, table).to.equal('store_json');
    }
  });

  it('other accounts do not see the walks', async () => {
    const stranger = await stack.createTenant();
    await sweep();
    expect(await stack.rows(stranger.id, 'select * from stored_json_walks')).to.deep.equal([]);
  });
});
