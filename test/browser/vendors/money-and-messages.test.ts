/**
 * Starts the built product and the doubles of Stripe and Twilio with the documented commands, and
 * walks by mouse from the connection to a payment, a refund and texts.
 */
import { expect } from 'chai';
import { useProductWalk } from '../../support/browser/walks/product-walk.js';
import { formatDollars } from '../../support/browser/walks/vendor-person.js';
import { IS_SCALED } from '../../support/stores.js';

const WEBHOOK_SECRET = 'whsec_demo';

if (!IS_SCALED) {
  describe('npm start beside the doubles of Stripe and Twilio', function () {
    this.timeout(240_000);
    const walk = useProductWalk(['stripe', 'twilio']);

    it('a customer pays at Stripe, the open invoice becomes paid without a reload, and half is refunded', async () => {
      const person = await walk.openDashboard();
      const connection = await person.connect('Stripe', {
        'Secret key': 'sk_live_demo',
        'Webhook secret': WEBHOOK_SECRET,
      });
      const [webhook = ''] = await person.readAddresses(connection, ['Address for webhooks']);
      await person.close(connection);
      const stripe = await walk.openControlPage('stripe');
      await stripe.getByLabel('Webhook URL').fill(webhook);
      await stripe.getByLabel('Signing secret').fill(WEBHOOK_SECRET);
      await stripe.getByRole('button', { name: 'Save webhook' }).click();

      await person.createCustomer();
      const { number, totalCents, drawer } = await person.sendNewInvoice();
      await person.markDocument();
      const customer = await person.openCustomersPage(walk.context, number);
      const total = formatDollars(totalCents);
      await customer.getByRole('button', { name: `Pay ${total} online` }).click();
      await customer.getByRole('heading', { name: `Pay ${total}` }).waitFor();
      expect(new URL(customer.url()).origin, 'the page where the customer pays').to.equal(
        new URL(stripe.url()).origin,
      );
      await customer.getByRole('button', { name: 'Pay by card' }).click();
      await customer.getByRole('heading', { name: new RegExp(number) }).waitFor();
      await drawer.getByText('Paid', { exact: true }).first().waitFor();
      await customer.reload();
      await customer.getByRole('heading', { name: new RegExp(number) }).waitFor();
      expect(await customer.getByRole('button', { name: /^Pay / }).count(), 'a second payment').to.equal(0);

      await drawer.getByRole('tab', { name: 'Payments' }).click();
      await drawer.getByRole('button', { name: 'Refund' }).click();
      const refund = person.dialog('Refund');
      const half = Math.floor(totalCents / 2);
      // The field proposes the whole payment. `fill` replaces it.
      await refund.getByLabel('Amount').fill((half / 100).toFixed(2));
      await person.type(refund.getByLabel('Reason'), 'Half was waived');
      await refund.getByRole('button', { name: 'Refund' }).click();
      await drawer.getByText('Partially paid').first().waitFor();
      await drawer.getByRole('tab', { name: 'Details' }).click();
      await drawer.getByRole('row', { name: `Balance ${formatDollars(half)}` }).waitFor();
      expect(await person.isSameDocument(), 'the dashboard was not loaded again').to.equal(true);
      await stripe.reload();
      await stripe
        .getByRole('row', { name: new RegExp(`^re_.* \\${formatDollars(half)} succeeded`) })
        .waitFor();
    });

    it('a dispatcher texts about a job, sees it sent, gets an answer under the job, and sees that the carrier failed or delivered', async () => {
      const phone = '+15185550171';
      const person = await walk.openDashboard();
      const connection = await person.connect('Twilio', {
        'Account SID': `AC${'0'.repeat(32)}`,
        'Auth token': 'demo',
        'From number': '+15185550100',
      });
      const addresses = ['Address for incoming texts', 'Address for incoming calls'];
      const [texts = '', calls = ''] = await person.readAddresses(connection, addresses);
      await person.close(connection);
      const twilio = await walk.openControlPage('twilio');
      await twilio.getByLabel('A message comes in').fill(texts);
      await twilio.getByLabel('A call comes in').fill(calls);
      await twilio.getByRole('button', { name: 'Save addresses' }).click();

      const job = await person.createWorkOrder(phone);
      const drawer = await person.openWorkOrder(job);
      await drawer.getByRole('tab', { name: 'Texts' }).click();
      await person.markDocument();
      await person.type(drawer.getByLabel(`Text to ${phone}`), 'We are on our way.');
      await drawer.getByRole('button', { name: 'Send text' }).click();
      const sent = drawer.getByRole('row', { name: /We are on our way\./ });
      await sent.getByText('Sent', { exact: true }).waitFor();
      await twilio.reload();
      const received = twilio.getByRole('row', { name: /We are on our way\./ });
      await received.getByRole('cell', { name: phone }).waitFor();

      await twilio.getByLabel('From').fill(phone);
      await twilio.getByLabel('Text', { exact: true }).fill('How long will it take?');
      await twilio.getByRole('button', { name: 'Send the text' }).click();
      await drawer.getByRole('cell', { name: 'How long will it take?' }).waitFor();
      await drawer.getByRole('cell', { name: `From ${phone}` }).waitFor();
      await received.getByRole('button', { name: 'Do not deliver' }).click();
      await sent.getByText('Failed', { exact: true }).waitFor();
      await person.type(drawer.getByLabel(`Text to ${phone}`), 'Ten minutes.');
      await drawer.getByRole('button', { name: 'Send text' }).click();
      const answer = drawer.getByRole('row', { name: /Ten minutes\./ });
      await answer.getByText('Sent', { exact: true }).waitFor();
      await twilio.reload();
      const arriving = twilio.getByRole('row', { name: /Ten minutes\./ });
      await arriving.getByRole('button', { name: 'Deliver', exact: true }).click();
      await answer.getByText('Delivered', { exact: true }).waitFor();
      expect(await person.isSameDocument(), 'the dashboard was not loaded again').to.equal(true);
    });
  });
}
