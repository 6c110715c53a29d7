import type { Schemas } from '../../../api/records';
import { Facts } from '../../../parts/record/facts';

/** Shows what a club wrote about the job, which a dispatcher needs before the answer. */
export function OfferFacts({ offer }: { offer: Schemas['ClubOffer'] }) {
  const items = Object.entries({
    Pickup: describePickup(offer),
    'Drop-off': offer.dropoff_location,
    Motorist: [offer.contact_name, offer.contact_phone].filter(Boolean).join(', '),
    VIN: offer.vin,
    PO: offer.po_number,
    Notes: offer.notes,
  }).filter(([, value]) => value);
  return items.length > 0 ? <Facts items={Object.fromEntries(items)} /> : null;
}

/** Returns the place where the vehicle stands, or its coordinates; empty if the club named none. */
export function describePickup({ pickup_location: place, pickup }: Schemas['ClubOffer']): string {
  const { address, lat, lng } = pickup;
  const text = place ?? address;
  if (text !== null) return text;
  return lat === null || lng === null ? '' : `${lat.toFixed(5)}, ${lng.toFixed(5)}`;
}
