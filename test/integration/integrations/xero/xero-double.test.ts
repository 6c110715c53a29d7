import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import type { XeroOrganisation } from '../../../support/vendors/doubles/xero/organisation.js';
import { XERO_APP, XeroPerson } from '../../../support/vendors/doubles/xero/sign-ins.js';
import { XeroDouble } from '../../../support/vendors/doubles/xero/xero-double.js';

const REDIRECT = 'http://127.0.0.1/integrations/callback';

describe('the double of Xero', () => {
  requireContracts();
  let double: XeroDouble;
  let organisation: XeroOrganisation;
  let token: string;

  before(async () => {
    double = await new XeroDouble().start();
    organisation = double.openOrganisation();
    const asked = new URLSearchParams({
      client_id: XERO_APP.client_id,
      redirect_uri: REDIRECT,
      scope: 'accounting.invoices',
    });
    const back = double.signIns.permit(`${double.origin}/?${asked}`, organisation, new XeroPerson());
    const response = await fetch(`${double.origin}/connect/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${XERO_APP.client_id}:${XERO_APP.client_secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: new URL(back).searchParams.get('code') ?? '',
        redirect_uri: REDIRECT,
      }),
    });
    token = ((await response.json()) as { access_token: string }).access_token;
  });

  after(() => double?.stop());

  async function write(method: 'PUT' | 'POST', path: string, body: object) {
    const response = await fetch(`${double.origin}/api.xro/2.0${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        'xero-tenant-id': organisation.tenantId,
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  const CONTACTS = { Contacts: [{ Name: 'Riverside' }, { Name: '' }, { Name: 'Hudson Fleet' }] };

  for (const method of ['PUT', 'POST'] as const)
    for (const query of ['', '?summarizeErrors=true'])
      it(`refuses a ${method} of a list ${query ? 'with summarizeErrors=true' : 'without summarizeErrors=false'}`, async () => {
        const { status, text } = await write(method, `/Contacts${query}`, CONTACTS);
        expect(status).to.equal(400);
        expect(text).to.include('summarizeErrors');
        expect(double.violations.splice(0)).to.deep.equal([
          `${method} /api.xro/2.0/Contacts: summarizeErrors is not false`,
        ]);
        expect(organisation.list('Contacts')).to.deep.equal([]);
      });

  it('with summarizeErrors=false, one bad element of a list refuses no other, and carries its own error', async () => {
    const { status, text } = await write('PUT', '/Contacts?summarizeErrors=false', CONTACTS);
    expect(status).to.equal(200);
    const { Contacts } = JSON.parse(text) as { Contacts: Record<string, unknown>[] };
    expect(Contacts.map(({ StatusAttributeString }) => StatusAttributeString)).to.deep.equal([
      'OK',
      'ERROR',
      'OK',
    ]);
    expect(JSON.stringify(Contacts[1]?.ValidationErrors)).to.include('must have a name');
    expect(organisation.list('Contacts').map(({ Name }) => Name)).to.deep.equal([
      'Riverside',
      'Hudson Fleet',
    ]);
    expect(double.violations.splice(0)).to.deep.equal([]);
  });
});
