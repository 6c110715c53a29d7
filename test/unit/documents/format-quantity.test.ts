import { expect } from 'chai';
import { formatQuantity } from '../../../shared/billing/format-quantity.js';

describe('quantity with its unit', () => {
  for (const [quantity, unit, text] of [
    [1, 'mile', '1 mile'],
    [2, 'mile', '2 miles'],
    [7.5, 'mile', '7.5 miles'],
    [0.5, 'hour', '0.5 hours'],
    [3, 'quarter_hour', '3 quarter hours'],
    [1, 'quarter_hour', '1 quarter hour'],
    [2, 'each', '2 each'],
    [3, 'flat', '3 flat'],
    [1250, 'day', '1,250 days'],
    [2, 'gallon', '2 gallons'],
    [2, 'box', '2 boxes'],
    [2, 'supply', '2 supplies'],
    [6, 'cubic_foot', '6 cubic feet'],
    [2, 'hr', '2 hr'],
  ] as const)
    it(`${quantity} ${unit} is formatted as "${text}"`, () => {
      expect(formatQuantity(quantity, unit)).to.equal(text);
    });
});
