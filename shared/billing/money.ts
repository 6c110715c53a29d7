export interface PricedLine {
  /** More than 0 and at most 1e6, with at most 4 decimals. */
  quantity: number;
  /** Cents for one unit, an integer within ±1e9. */
  unit_price_cents: number;
  taxable: boolean;
}

/**
 * All amounts are in cents. `lineTotals` has one entry per line item, in the sequence of the line
 * items.
 */
export interface InvoicePrice {
  lineTotals: number[];
  subtotalCents: number;
  taxCents: number;
  totalCents: number;
}

// Except for MAX_TAX_RATE_BPS, these limits come from docs/decisions.md §3 "Money" and §5 "Limits".
export const MAX_LINE_ITEMS = 200;
export const MAX_QUANTITY = 1_000_000;
export const MAX_QUANTITY_DECIMALS = 4;
export const MAX_UNIT_PRICE_CENTS = 1_000_000_000;
export const MAX_INVOICE_TOTAL_CENTS = 100_000_000_000;
/**
 * The maximum difference in cents between a client's line total and the server's. The server
 * refuses a larger difference with 400.
 */
export const LINE_TOTAL_TOLERANCE_CENTS = 1;
/** 10000 basis points are 100 %. */
export const MAX_TAX_RATE_BPS = 10_000;

/**
 * Quantities are computed in units of 1/10000. A basis point is also 1/10000, so tax rates use the
 * same factor.
 */
const SCALE = 10_000;
const SCALE_BIG = 10_000n;
const QUANTITY_TEXT = /^(\d{1,7})(?:\.(\d{1,4})0*)?$/;

/**
 * Counts the decimals of a number as JavaScript prints it: 12.5 has 1, 1e-7 has 7, 1e21 has 0.
 * Returns infinity for NaN and infinities, so that they exceed every limit on decimals.
 */
export function countDecimalPlaces(quantity: number): number {
  if (!Number.isFinite(quantity)) return Number.POSITIVE_INFINITY;
  const [mantissa, exponent] = String(quantity).split('e') as [string, string?];
  const point = mantissa.indexOf('.');
  const fraction = point === -1 ? 0 : mantissa.length - point - 1;
  return Math.max(0, fraction - Number(exponent ?? 0));
}

/**
 * Multiplies quantity and unit price exactly, then rounds half away from zero (docs/decisions.md
 * §3).
 * @param quantity a number, or plain decimal text from PostgreSQL's numeric (`'12.5000'`)
 * @param unitPriceCents negative for discounts and adjustments
 * @returns whole cents, within ±1e15
 * @throws {RangeError} if a value is outside its limits; clients' values are validated earlier
 */
export function calculateLineTotalCents(quantity: number | string, unitPriceCents: number): number {
  const isPrice = Number.isInteger(unitPriceCents) && Math.abs(unitPriceCents) <= MAX_UNIT_PRICE_CENTS;
  if (!isPrice) throw new RangeError(`A unit price is an integer within ±${MAX_UNIT_PRICE_CENTS} cents`);
  return multiplyScaled(scaleQuantity(quantity), unitPriceCents);
}

/**
 * Calculates the tax exactly, then rounds it once, half away from zero (docs/decisions.md §3).
 * @param taxableSubtotalCents whole cents of either sign, within ±(2^53 − 1)
 * @param rateBps whole basis points, 0 to 10000
 * @returns whole cents
 * @throws {RangeError} if a value is outside its limits
 */
export function calculateTaxCents(taxableSubtotalCents: number, rateBps: number): number {
  if (!Number.isSafeInteger(taxableSubtotalCents))
    throw new RangeError('A subtotal is an integer number of cents');
  checkRate(rateBps);
  return multiplyScaled(rateBps, taxableSubtotalCents);
}

/**
 * Prices an invoice. If discounts make the taxable subtotal negative, the tax is 0. The caller
 * checks the limits of the invoice total. Amounts up to 2^53 − 1 cents, far more than {@link
 * MAX_INVOICE_TOTAL_CENTS}, are exact. Larger amounts are rounded to the nearest double.
 * @param taxRateBps whole basis points, 0 to 10000
 * @throws {RangeError} if a line item or the rate is outside its limits
 */
export function priceInvoice(lines: readonly PricedLine[], taxRateBps: number): InvoicePrice {
  checkRate(taxRateBps);
  const lineTotals = lines.map((line) => calculateLineTotalCents(line.quantity, line.unit_price_cents));
  const volume = lineTotals.reduce((sum, total) => sum + Math.abs(total), 0);
  // Even with a tax of 100 %, no sum exceeds twice `volume`. If twice `volume` is a safe integer,
  // every sum below is therefore exact.
  if (volume > Number.MAX_SAFE_INTEGER / 2) return priceLargeInvoice(lines, lineTotals, taxRateBps);
  let subtotalCents = 0;
  let taxableCents = 0;
  lineTotals.forEach((total, index) => {
    subtotalCents += total;
    if (lines[index]?.taxable) taxableCents += total;
  });
  const tax = taxableCents > 0 ? calculateTaxCents(taxableCents, taxRateBps) : 0;
  return { lineTotals, subtotalCents, taxCents: tax, totalCents: subtotalCents + tax };
}

/**
 * Prices an invoice like `priceInvoice`, but with BigInt, because sums may exceed the safe integer
 * range.
 */
function priceLargeInvoice(
  lines: readonly PricedLine[],
  lineTotals: number[],
  rateBps: number,
): InvoicePrice {
  let subtotal = 0n;
  let taxable = 0n;
  lineTotals.forEach((total, index) => {
    subtotal += BigInt(total);
    if (lines[index]?.taxable) taxable += BigInt(total);
  });
  const tax = taxable > 0n ? divideByScale(taxable * BigInt(rateBps)) : 0n;
  return {
    lineTotals,
    subtotalCents: Number(subtotal),
    taxCents: Number(tax),
    totalCents: Number(subtotal + tax),
  };
}

/**
 * Converts a quantity into an integer in units of 1/10000. Reads the decimal text, because
 * multiplying a double by 10000 may be inexact.
 */
function scaleQuantity(quantity: number | string): number {
  const match = QUANTITY_TEXT.exec(String(quantity));
  if (match === null) throw new RangeError(`A quantity has at most ${MAX_QUANTITY_DECIMALS} decimals`);
  const [, whole, fraction = ''] = match;
  const scaled = Number(whole) * SCALE + Number(fraction.padEnd(MAX_QUANTITY_DECIMALS, '0'));
  const isWithinBounds = scaled > 0 && scaled <= MAX_QUANTITY * SCALE;
  if (!isWithinBounds) throw new RangeError(`A quantity is more than 0 and at most ${MAX_QUANTITY}`);
  return scaled;
}

function checkRate(rateBps: number): void {
  const isRate = Number.isInteger(rateBps) && rateBps >= 0 && rateBps <= MAX_TAX_RATE_BPS;
  if (!isRate) throw new RangeError(`A tax rate is an integer from 0 to ${MAX_TAX_RATE_BPS} basis points`);
}

/**
 * Computes `scaled` / 10000 × `cents`, rounded half away from zero. Uses BigInt, which is slower,
 * only if the product is not a safe integer.
 */
function multiplyScaled(scaled: number, cents: number): number {
  const product = scaled * cents;
  if (!Number.isSafeInteger(product)) return Number(divideByScale(BigInt(scaled) * BigInt(cents)));
  const magnitude = Math.abs(product);
  const rest = magnitude % SCALE;
  const rounded = (magnitude - rest) / SCALE + (rest * 2 >= SCALE ? 1 : 0);
  // A small negative amount must round to 0, not to -0. Tests with deep equality distinguish the
  // two.
  return product < 0 && rounded !== 0 ? -rounded : rounded;
}

function divideByScale(product: bigint): bigint {
  const half = SCALE_BIG / 2n;
  return (product < 0n ? product - half : product + half) / SCALE_BIG;
}
