import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import { api } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { readServerClock } from '../../../api/server-clock';
import { useCan } from '../../../api/session';
import { humanize } from '../../../parts/record/status-badge';
import { formatCents } from '../../../parts/values/money';
import { AcceptOffer } from './accept-offer';
import './club-offers.css';
import { describePickup } from './offer-facts';
import { RefuseOffer } from './refuse-offer';

export type ClubOffer = Schemas['ClubOffer'];

const WAITING = { params: { query: { status: 'received', limit: 100 } } } as const;

/**
 * The offers of motor clubs that wait for an answer, the most urgent first. Without such offers,
 * the board looks as if there were no clubs.
 */
export function ClubOffers() {
  const { data } = api.useQuery('get', '/club-offers', WAITING);
  const [answering, setAnswering] = useState<{ offer: ClubOffer; isAccepted: boolean }>();
  const offers = [...(data?.data.items ?? [])].sort((a, b) => a.respond_by.localeCompare(b.respond_by));
  const close = () => setAnswering(undefined);
  const Dialog = answering?.isAccepted ? AcceptOffer : RefuseOffer;
  return (
    <>
      <VisuallyHidden role="status">{offers.length > 0 ? describeCount(offers.length) : ''}</VisuallyHidden>
      {offers.length > 0 && (
        <section className="dispatch-offers" aria-labelledby="dispatch-offers-heading">
          <div className="dispatch-row">
            <h2 id="dispatch-offers-heading">Club offers</h2>
            <span className="dispatch-dim digits">{offers.length}</span>
          </div>
          {offers.map((offer) => (
            <Offer
              key={offer.id}
              offer={offer}
              onAnswer={(isAccepted) => setAnswering({ offer, isAccepted })}
            />
          ))}
        </section>
      )}
      {answering && <Dialog offer={answering.offer} onClose={close} />}
    </>
  );
}

function describeCount(count: number): string {
  return count === 1 ? 'One offer of a club waits' : `${count} offers of clubs wait`;
}

function Offer({ offer, onAnswer }: { offer: ClubOffer; onAnswer: (isAccepted: boolean) => void }) {
  const canDispatch = useCan('approve');
  const { club, reference } = offer;
  const name = `${club}, ${reference}`;
  return (
    <article className="dispatch-offer" aria-label={name}>
      <div className="dispatch-row">
        <strong>{club}</strong>
        <Countdown until={offer.respond_by} />
      </div>
      <Text size="sm">{describeOffer(offer)}</Text>
      {offer.notes !== null && <Text size="sm">{offer.notes}</Text>}
      <Text size="sm" c="dimmed">
        {reference}
      </Text>
      {canDispatch && (
        <Group gap="xs">
          <Button size="xs" aria-label={`Accept ${name}`} onClick={() => onAnswer(true)}>
            Accept
          </Button>
          <Button size="xs" variant="default" aria-label={`Refuse ${name}`} onClick={() => onAnswer(false)}>
            Refuse
          </Button>
        </Group>
      )}
    </article>
  );
}

function describeOffer(offer: ClubOffer): string {
  const { vehicle, dropoff_location: to, offered_cents: cents } = offer;
  const car = [vehicle.year, vehicle.make, vehicle.model].filter((part) => part !== null).join(' ');
  const places = [describePickup(offer), to].filter(Boolean).join(' → ');
  const parts = [humanize(offer.service_type), car, places, cents === null ? '' : formatCents(cents)];
  return parts.filter((part) => part !== '').join(' · ');
}

/**
 * The time left to answer, by the server's clock. The buttons stay usable, because the service
 * decides.
 */
function Countdown({ until }: { until: string }) {
  const [now, setNow] = useState(readServerClock);
  useEffect(() => {
    const timer = setInterval(() => setNow(readServerClock()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - now) / 1000));
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <span
      role="timer"
      aria-label="Time left to answer"
      className={seconds > 30 ? 'digits' : 'digits dispatch-late'}
    >
      {seconds > 0 ? text : 'Time is up'}
    </span>
  );
}
