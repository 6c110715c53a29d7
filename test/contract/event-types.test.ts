import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EVENT_TYPES } from '../../shared/contracts/vocabulary.js';
import { matchesType, TYPE_FILTER } from '../../shared/events/event-types.js';
import { eventTypeView } from '../../shared/resources/event-types/bodies.js';
import { CATALOGUE } from '../../shared/resources/event-types/catalogue.js';
import { findBodyFaults } from '../support/event-schemas.js';
import { PROJECT } from '../support/processes.js';

type Json = Record<string, unknown>;

/** Sources of the product that record events. */
const recorders = ['shared/resources', 'workers'].flatMap((room) =>
  readdirSync(join(PROJECT, room), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('event-types/'))
    .map((path) => readFileSync(join(PROJECT, room, path), 'utf8')),
);

describe('the event catalogue', () => {
  // That nothing else can be recorded is the compiler's to say: EventDraft takes these types alone.
  it('defines every type that can be recorded, and each of them is recorded somewhere', () => {
    expect(Object.keys(CATALOGUE)).to.have.members([...EVENT_TYPES]);
    const unrecorded = EVENT_TYPES.filter(
      (type) => !recorders.some((text) => text.includes(`type: '${type}'`)),
    );
    expect(unrecorded).to.deep.equal([]);
  });

  it('has types that an endpoint can subscribe to, each by itself, by its kind and by *', () => {
    for (const type of EVENT_TYPES) {
      for (const filter of [type, `${type.split('.')[0]}.*`, '*']) {
        expect(filter).to.match(TYPE_FILTER);
        expect(matchesType(filter, type), filter).to.equal(true);
      }
    }
  });

  for (const type of EVENT_TYPES) {
    const view = eventTypeView(type);

    it(`${type}: its example is a whole body and fits its schema`, () => {
      expect(findBodyFaults(view.schema, view.example)).to.deep.equal([]);
      expect(view.example).to.include({ type, api_version: 'v1' });
    });

    it(`${type}: its schema refuses a body without any one of its members, and of another type`, () => {
      const { data, ...envelope } = view.example as Json & { data: Json };
      for (const member of Object.keys(view.example)) {
        const { [member]: _removed, ...rest } = view.example;
        expect(findBodyFaults(view.schema, rest), member).to.have.length(1);
      }
      for (const member of Object.keys(data)) {
        const { [member]: _removed, ...rest } = data;
        expect(findBodyFaults(view.schema, { ...envelope, data: rest }), member).to.have.length(1);
      }
      expect(findBodyFaults(view.schema, { ...view.example, type: 'invoice.nothing' })).to.have.length(1);
    });

    it(`${type}: its schema stands by itself`, () => {
      const text = JSON.stringify(view.schema);
      for (const word of ['$ref', 'nullable', 'className']) expect(text).to.not.include(`"${word}"`);
      expect(view.schema.$schema).to.equal('https://json-schema.org/draft/2020-12/schema');
    });
  }
});
