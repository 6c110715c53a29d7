import { Anchor, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { WorkOrder } from '../../../api/records';
import { CANCEL_REASON } from '../../../generated/vocabulary';
import { CustomerName, DriverName, TruckName } from '../../../parts/choices/record-names';
import { Facts } from '../../../parts/record/facts';
import { humanize } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';

export function DetailsTab({ workOrder }: { workOrder: WorkOrder }) {
  const { vehicle, driven, cancel_reason: cancelReason } = workOrder;
  return (
    <Stack gap="lg">
      {cancelReason && (
        <Section title="Cancelled">
          <Facts items={{ Reason: CANCEL_REASON[cancelReason], Note: workOrder.cancel_note }} />
        </Section>
      )}
      <Section title="Service">
        <Facts
          items={{
            Service: humanize(workOrder.service_type),
            Customer: <CustomerName id={workOrder.customer_id} isLink />,
            Truck: <TruckName id={workOrder.truck_id} />,
            Driver: <DriverName id={workOrder.driver_id} />,
            Step: workOrder.step && humanize(workOrder.step),
            'Loaded miles': workOrder.miles,
            'Loaded miles driven': driven ? (
              <DrivenMiles
                miles={driven.loaded_miles}
                coverage={driven.loaded_coverage}
                source={driven.loaded_source}
              />
            ) : undefined,
            'All miles driven': driven ? (
              <DrivenMiles miles={driven.miles} coverage={driven.coverage} source={driven.source} />
            ) : undefined,
          }}
        />
      </Section>
      <Section title="Route">
        <Facts
          items={{
            Pickup: workOrder.pickup_location,
            'Drop-off': workOrder.dropoff_location,
            'Pickup position': <Position place={workOrder.pickup} />,
            'Drop-off position': <Position place={workOrder.dropoff} />,
          }}
        />
      </Section>
      <Section title="Vehicle">
        <Facts
          items={{
            Vehicle: [vehicle.year, vehicle.make, vehicle.model].filter(Boolean).join(' '),
            VIN: workOrder.vin,
            'Unit number': workOrder.unit_number,
          }}
        />
      </Section>
      <Section title="Contact and billing">
        <Facts
          items={{
            Contact: workOrder.contact_name,
            Phone: workOrder.contact_phone && (
              <Anchor href={`tel:${workOrder.contact_phone}`} inherit>
                {workOrder.contact_phone}
              </Anchor>
            ),
            'Billing e-mail': workOrder.billing_email,
          }}
        />
      </Section>
      <Section title="Notes">
        <Facts
          items={{
            'Internal notes': <LongText text={workOrder.notes} />,
            'Notes for the customer': <LongText text={workOrder.customer_notes} />,
            Created: <TimeAgo at={workOrder.created_at} />,
            Changed: <TimeAgo at={workOrder.updated_at} />,
          }}
        />
      </Section>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h5" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}

interface DrivenMilesProps {
  miles: number | null;
  coverage: number | null;
  source: 'positions' | 'odometer' | null;
}

/** Miles that the service measured, and for how much of the time there were positions. */
function DrivenMiles({ miles, coverage, source }: DrivenMilesProps) {
  if (coverage === null) return <>Unknown: the steps do not show when the vehicle was on the truck</>;
  // Without a figure, the coverage is no reason: a long work order is not measured at all.
  if (coverage === 0) return <>Unknown</>;
  const share = `positions for ${Math.round(coverage * 100)} % of the time`;
  const figure = source === 'odometer' ? `${miles} by the odometer` : `About ${miles}`;
  return <span className="digits">{`${miles === null ? 'Unknown' : figure} (${share})`}</span>;
}

function Position({ place: { lat, lng } }: { place: WorkOrder['pickup'] }) {
  if (lat === null || lng === null) return <>–</>;
  return <span className="digits">{`${lat}, ${lng}`}</span>;
}

/** A text with the line breaks that people typed. */
function LongText({ text }: { text: string | null }) {
  return (
    <Text inherit style={{ whiteSpace: 'pre-wrap' }}>
      {text || '–'}
    </Text>
  );
}
