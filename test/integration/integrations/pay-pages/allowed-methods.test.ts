import { expect } from 'chai';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

const ALL = ['card', 'link', 'us_bank_account'] as const;
type Method = (typeof ALL)[number];

describe('the ways to pay that an account has chosen', () => {
  requireContracts();
  const paying = usePayingStack();

  /** Reads what the product asked Stripe to allow on a page. */
  const readAllowed = (account: PayingAccount, url: string) =>
    account.double.findSession(url)[1].payment_method_types as string[];
  const press = async (url: string, method: Method) =>
    (await fetch(url, { method: 'POST', body: new URLSearchParams({ method }), redirect: 'manual' })).status;

  for (const methods of [['card'], ['us_bank_account'], ['card', 'link'], [...ALL]] as Method[][])
    it(`a pay page allows ${methods.join(', ')} and refuses every other way`, async () => {
      const account = await paying.createAccount({ methods });
      const { url } = await account.openPayLink(await account.createInvoice(5000));
      expect(readAllowed(account, url)).to.deep.equal(methods);
      const html = await (await fetch(url)).text();
      for (const method of ALL) {
        const isAllowed = methods.includes(method);
        expect(html.includes(`value="${method}"`), method).to.equal(isAllowed);
        if (!isAllowed) expect(await press(url, method), method).to.equal(400);
      }
      expect(account.vendor.list('payment_intent')).to.deep.equal([]);
      expect(await press(url, methods[0] as Method)).to.equal(303);
    });

  it('an account that has chosen nothing allows cards and Link', async () => {
    const account = await paying.createAccount();
    const { url } = await account.openPayLink(await account.createInvoice(5000));
    expect(readAllowed(account, url)).to.deep.equal(['card', 'link']);
  });

  it('changed methods apply to the next page', async () => {
    const account = await paying.createAccount({ methods: ['card'] });
    const id = await account.createInvoice(5000);
    await account.openPayLink(id);
    const settings = { methods: ['us_bank_account'] };
    await account.client.patch(`/connections/${account.connectionId}`, { settings });
    expect(readAllowed(account, (await account.openPayLink(id)).url)).to.deep.equal(['us_bank_account']);
  });

  it('a page that saves a payment method allows the chosen ones that can be charged later', async () => {
    const account = await paying.createAccount({ methods: [...ALL] });
    const { url } = await account.openSetupLink(await account.createCustomer());
    expect(readAllowed(account, url)).to.deep.equal(['card', 'us_bank_account']);
    const onlyLink = await paying.createAccount({ methods: ['link'] });
    const page = await onlyLink.openSetupLink(await onlyLink.createCustomer());
    expect(readAllowed(onlyLink, page.url)).to.deep.equal(['card']);
    expect(await press(page.url, 'us_bank_account')).to.equal(400);
  });
});
