import { expect } from 'chai';
import fc from 'fast-check';
import { diffNewRecord, diffPatch } from '../../../shared/records/changes.js';

describe('changes between a record and a patch', () => {
  it('a change has the field with its old and new value; equal fields are omitted', () => {
    const current = { po_number: 'A', notes: 'old', billing_email: null };
    expect(
      diffPatch(current, { po_number: 'A', notes: 'new', billing_email: 'a@example.com' }),
    ).to.deep.equal([
      { field: 'notes', from: 'old', to: 'new' },
      { field: 'billing_email', from: null, to: 'a@example.com' },
    ]);
  });

  it('absent and undefined members change nothing, null clears the field', () => {
    const current = { po_number: 'A', notes: 'old' };
    expect(diffPatch(current, {})).to.deep.equal([]);
    expect(diffPatch(current, { notes: undefined })).to.deep.equal([]);
    expect(diffPatch(current, { notes: null })).to.deep.equal([{ field: 'notes', from: 'old', to: null }]);
  });

  it('a missing column equals null', () => {
    expect(diffPatch({}, { notes: null })).to.deep.equal([]);
  });

  it('lists with equal items in the same sequence are equal', () => {
    const current = { duty_classes: ['light', 'heavy'], defects: [{ id: '1', resolved_at: null }] };
    const same = { duty_classes: ['light', 'heavy'], defects: [{ resolved_at: null, id: '1' }] };
    expect(diffPatch(current, same)).to.deep.equal([]);
    for (const duty_classes of [['heavy', 'light'], ['light'], []]) {
      expect(diffPatch(current, { duty_classes })).to.have.length(1);
    }
  });

  it('two texts of the same instant in a timestamp column are equal', () => {
    const current = { due_date: '2026-11-21T14:30:00+00:00' };
    for (const due_date of [
      '2026-11-21T14:30:00Z',
      '2026-11-21T14:30:00.000Z',
      '2026-11-21T09:30:00-05:00',
      '2026-11-21t14:30:00z',
    ]) {
      expect(diffPatch(current, { due_date }), due_date).to.deep.equal([]);
    }
    expect(diffPatch(current, { due_date: '2026-11-21T14:30:01Z' })).to.have.length(1);
  });

  it('an edited text is a change even if both texts parse as the same time', () => {
    const pairs = [
      ['2026-11-21 10:00 (Bob called)', '2026-11-21 10:00 (Ann called)'],
      ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
      ['2026-11-21T10:00:00Z', '2026-11-21 10:00:00+00'],
    ];
    for (const [from, to] of pairs) {
      expect(diffPatch({ notes: from }, { notes: to }), `${from} → ${to}`).to.deep.equal([
        { field: 'notes', from, to },
      ]);
    }
  });

  it('applying the changes merges the patch, and merging again changes nothing', () => {
    const value = fc.oneof(fc.constant(null), fc.string(), fc.integer(), fc.boolean());
    const record = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value);
    const property = fc.property(record, record, (current, patch) => {
      const changes = diffPatch(current, patch);
      const applied = { ...current, ...Object.fromEntries(changes.map(({ field, to }) => [field, to])) };
      for (const [field, to] of Object.entries(patch)) expect(applied[field] ?? null).to.equal(to);
      for (const { field, from, to } of changes) expect(from, field).to.not.equal(to);
      expect(diffPatch(applied, patch)).to.deep.equal([]);
    });
    fc.assert(property);
  });
});

describe('changes of a new record', () => {
  it('a new record lists every given member as changed from null and omits empty ones', () => {
    expect(
      diffNewRecord({ company_name: 'A', notes: null, city: undefined, is_active: false, terms_days: 0 }),
    ).to.deep.equal([
      { field: 'company_name', from: null, to: 'A' },
      { field: 'is_active', from: null, to: false },
      { field: 'terms_days', from: null, to: 0 },
    ]);
  });
});
