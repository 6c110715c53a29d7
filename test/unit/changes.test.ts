import { expect } from 'chai';
import fc from 'fast-check';
import { changesOf, changesOfNew } from '../../shared/resources/changes.js';

describe('changesOf', () => {
  it('names what differs with its old and new value, and nothing that stays', () => {
    const current = { po_number: 'A', notes: 'old', billing_email: null };
    expect(
      changesOf(current, { po_number: 'A', notes: 'new', billing_email: 'a@example.com' }),
    ).to.deep.equal([
      { field: 'notes', from: 'old', to: 'new' },
      { field: 'billing_email', from: null, to: 'a@example.com' },
    ]);
  });

  it('keeps what is absent or undefined and clears what is null', () => {
    const current = { po_number: 'A', notes: 'old' };
    expect(changesOf(current, {})).to.deep.equal([]);
    expect(changesOf(current, { notes: undefined })).to.deep.equal([]);
    expect(changesOf(current, { notes: null })).to.deep.equal([{ field: 'notes', from: 'old', to: null }]);
  });

  it('takes a missing column and null for the same', () => {
    expect(changesOf({}, { notes: null })).to.deep.equal([]);
  });

  it('takes two lists of the same items in the same order for the same', () => {
    const current = { duty_classes: ['light', 'heavy'], defects: [{ id: '1', resolved_at: null }] };
    const same = { duty_classes: ['light', 'heavy'], defects: [{ resolved_at: null, id: '1' }] };
    expect(changesOf(current, same)).to.deep.equal([]);
    for (const duty_classes of [['heavy', 'light'], ['light'], []]) {
      expect(changesOf(current, { duty_classes })).to.have.length(1);
    }
  });

  it('takes two texts of one instant in a timestamp column for the same', () => {
    const current = { due_date: '2026-11-21T14:30:00+00:00' };
    for (const due_date of [
      '2026-11-21T14:30:00Z',
      '2026-11-21T14:30:00.000Z',
      '2026-11-21T09:30:00-05:00',
      '2026-11-21t14:30:00z',
    ]) {
      expect(changesOf(current, { due_date }), due_date).to.deep.equal([]);
    }
    expect(changesOf(current, { due_date: '2026-11-21T14:30:01Z' })).to.have.length(1);
  });

  it('never takes an edited text for unchanged because both texts happen to read as one time', () => {
    const pairs = [
      ['2026-11-21 10:00 (Bob called)', '2026-11-21 10:00 (Ann called)'],
      ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
      ['2026-11-21T10:00:00Z', '2026-11-21 10:00:00+00'],
    ];
    for (const [from, to] of pairs) {
      expect(changesOf({ notes: from }, { notes: to }), `${from} → ${to}`).to.deep.equal([
        { field: 'notes', from, to },
      ]);
    }
  });

  it('applied to the record gives the merged record, and merging that again changes nothing', () => {
    const value = fc.oneof(fc.constant(null), fc.string(), fc.integer(), fc.boolean());
    const record = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value);
    const property = fc.property(record, record, (current, patch) => {
      const changes = changesOf(current, patch);
      const applied = { ...current, ...Object.fromEntries(changes.map(({ field, to }) => [field, to])) };
      for (const [field, to] of Object.entries(patch)) expect(applied[field] ?? null).to.equal(to);
      for (const { field, from, to } of changes) expect(from, field).to.not.equal(to);
      expect(changesOf(applied, patch)).to.deep.equal([]);
    });
    fc.assert(property);
  });
});

describe('changesOfNew', () => {
  it('names every given member, from nothing, and leaves out what is empty', () => {
    expect(
      changesOfNew({ company_name: 'A', notes: null, city: undefined, is_active: false, terms_days: 0 }),
    ).to.deep.equal([
      { field: 'company_name', from: null, to: 'A' },
      { field: 'is_active', from: null, to: false },
      { field: 'terms_days', from: null, to: 0 },
    ]);
  });
});
