import { expect } from 'chai';
import { roadsync } from '../../../shared/integrations/roadsync/adapter.js';
import { newId } from '../../../shared/platform/ids.js';
import { claimRecords } from '../../../workers/integrations/clubs/claims.js';

describe('payments of motor clubs', () => {
  it('a payment names the billing partner by the label of its manifest', () => {
    const vendor = { ...roadsync, manifest: { ...roadsync.manifest, label: 'Clearing House' } };
    const [tenant_id, connection_id, local_id] = [newId(), newId(), newId()];
    const fields = {
      status: 'paid' as const,
      attempt: 1,
      amountCents: 100,
      poNumber: null,
      reason: null,
      code: null,
      number: '77',
    };
    const change = { kind: 'claim', externalId: 'x', version: '1', fields };
    const id = {
      tenant_id,
      connection_id,
      kind: 'claim',
      local_id,
      external_id: 'x',
      version: null,
      url: null,
    };
    const [command] = claimRecords.buildChanges([{ change, id }], { vendor });
    expect(command?.input).to.include({ reference: 'Clearing House 77' });
  });
});
