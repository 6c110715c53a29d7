import { expect } from 'chai';
import { toTelHref } from '../../../api/public/to-tel-href.js';

describe('toTelHref', () => {
  it('toTelHref dials the number and leaves out an extension', () => {
    const links = {
      '555-0100': 'tel:5550100',
      '555-0100 ext. 12': 'tel:5550100',
      '(212) 555-0199x7': 'tel:2125550199',
      '+1 518.555.0142 #3': 'tel:+15185550142',
      ' 555 0100; 555 0101': 'tel:5550100',
      '911': 'tel:911',
    };
    for (const [phone, link] of Object.entries(links)) expect(toTelHref(phone), phone).to.equal(link);
  });

  it('toTelHref makes no link of a text that is no number, or of which letters are a part', () => {
    for (const phone of ['', 'call the office', '12', '+', '1-800-TOWING', '1-800-555-TOWS', '1 800 TOWING'])
      expect(toTelHref(phone), phone).to.equal(null);
  });
});
