import { expect } from 'chai';
import Joi from 'joi';
import { dateTime, text, uuid } from '../../../shared/contracts/schemas/fields.js';
import { optionalText, recordId, time } from '../../../shared/records/fields/field.js';
import { defineFields } from '../../../shared/records/fields/record-fields.js';

const CUSTOMERS = { entityType: 'customer', table: 'customers' };

describe('fields as rows', () => {
  const fields = defineFields({
    id: recordId(),
    name: { input: text(10), isRequired: true, columns: 'text', freeText: true },
    customer_id: { input: uuid(), setBy: 'create', columns: 'uuid', references: CUSTOMERS },
    total_cents: { output: Joi.number(), sql: (alias) => `${alias}.a + ${alias}.b`, columns: null },
    created_at: time(),
    secret: { input: text(10), output: null, columns: 'text', csv: null },
    gate_code: optionalText(32, { freeText: true }),
  });

  it('a creation, a change and a response have exactly the members that the rows give them', () => {
    expect(Object.keys(fields.creation)).to.deep.equal(['name', 'customer_id', 'secret', 'gate_code']);
    expect(Object.keys(fields.change)).to.deep.equal(['name', 'secret', 'gate_code']);
    const { keys } = fields.response.describe() as { keys: object };
    expect(Object.keys(keys)).to.deep.equal([
      'id',
      'name',
      'customer_id',
      'total_cents',
      'created_at',
      'gate_code',
    ]);
    expect(Joi.object(fields.creation).validate({}).error?.message).to.include('name');
    expect(Joi.object(fields.change).validate({}).error).to.equal(undefined);
  });

  it('columns, CSV columns, references and free texts follow from the rows', () => {
    expect(fields.settable).to.equal('name text, customer_id uuid, secret text, gate_code text');
    expect(fields.changeable).to.equal('name text, secret text, gate_code text');
    expect(fields.columnNames).to.deep.equal(['id', 'name', 'customer_id', 'created_at', 'gate_code']);
    expect(fields.cells.map(({ name, kind }) => `${name} ${kind}`)).to.deep.equal([
      'id plain',
      'name text',
      'customer_id plain',
      'total_cents cents',
      'created_at time',
      'gate_code text',
    ]);
    expect(fields.references).to.deep.equal({ customer_id: CUSTOMERS });
    expect(fields.freeTextNames).to.deep.equal(['name', 'gate_code']);
  });

  it('rendering a record for a query reads no schema, which would take longer than the query', () => {
    let reads = 0;
    const output = new Proxy(dateTime(), {
      get(target, key, receiver) {
        if (key === '$_terms') reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    const watched = defineFields({ created_at: { output } });
    const afterDefinition = reads;
    expect(afterDefinition).to.be.above(0);
    for (const alias of ['t', 'c', 't']) {
      expect(watched.representation(alias)).to.include(`to_char(${alias}.created_at`);
      expect(watched.members(alias)).to.have.length(1);
    }
    expect(reads).to.equal(afterDefinition);
  });
});
