import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EVENT_TYPES } from '../../shared/contracts/vocabulary.js';
import { matchesType, TYPE_FILTER } from '../../shared/events/event-types.js';
import { describeEventType } from '../../shared/resources/event-types/bodies.js';
import { EVENT_TYPE_CATALOGUE } from '../../shared/resources/event-types/catalogue.js';
import { PROJECT } from '../support/load/processes.js';
import { findBodyProblems } from '../support/text/event-schemas.js';

type Json = Record<string, unknown>;

const recorderSources = ['shared/resources', 'workers'].flatMap((folder) =>
  readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('event-types/'))
    .map((path) => readFileSync(join(PROJECT, folder, path), 'utf8')),
);

describe('event catalogue', () => {
  it('defines every type that can be recorded, and the sources record each type', () => {
    expect(Object.keys(EVENT_TYPE_CATALOGUE)).to.have.members([...EVENT_TYPES]);
    const unrecorded = EVENT_TYPES.filter(
      (type) => !recorderSources.some((text) => text.includes(`type: '${type}'`)),
    );
    expect(unrecorded).to.deep.equal([]);
  });

  it('an endpoint can subscribe to each type by its name, by its category (invoice.*) and by *', () => {
    for (const type of EVENT_TYPES) {
      for (const filter of [type, `${type.split('.')[0]}.*`, '*']) {
        expect(filter).to.match(TYPE_FILTER);
        expect(matchesType(filter, type), filter).to.equal(true);
      }
    }
  });

  for (const type of EVENT_TYPES) {
    const view = describeEventType(type);

    it(`${type}: the example is a complete body and matches the schema`, () => {
      expect(findBodyProblems(view.schema, view.example)).to.deep.equal([]);
      expect(view.example).to.include({ type, api_version: 'v1' });
    });

    it(`${type}: the schema rejects a body that lacks a member or has another type`, () => {
      const { data, ...envelope } = view.example as Json & { data: Json };
      for (const member of Object.keys(view.example)) {
        const { [member]: _removed, ...rest } = view.example;
        expect(findBodyProblems(view.schema, rest), member).to.have.length(1);
      }
      for (const member of Object.keys(data)) {
        const { [member]: _removed, ...rest } = data;
        expect(findBodyProblems(view.schema, { ...envelope, data: rest }), member).to.have.length(1);
      }
      expect(findBodyProblems(view.schema, { ...view.example, type: 'invoice.nothing' })).to.have.length(1);
    });

    it(`${type}: the schema is self-contained`, () => {
      const text = JSON.stringify(view.schema);
      for (const word of ['$ref', 'nullable', 'className']) expect(text).to.not.include(`"${word}"`);
      expect(view.schema.$schema).to.equal('https://json-schema.org/draft/2020-12/schema');
    });
  }
});
