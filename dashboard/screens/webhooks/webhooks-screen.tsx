import { ViewTabs } from '../../parts/list/view-tabs';
import { useUrlSearch } from '../../parts/url/use-url';
import { CatalogueView } from './catalogue/catalogue-view';
import { DeliveriesView } from './deliveries/deliveries-view';
import { DeliveryDrawer } from './deliveries/delivery-drawer';
import { EndpointsView } from './endpoints/endpoints-view';
import { ReplayDrawer } from './replays/replay-drawer';
import { ReplaysView } from './replays/replays-view';
import { VerifyView } from './verify/verify-view';

/** Webhook endpoints and their deliveries, with the tools to replay and verify deliveries. */
export function WebhooksScreen() {
  const { delivery, replay } = useUrlSearch();
  return (
    <>
      <ViewTabs
        name="Webhooks"
        views={[
          { name: 'endpoints', label: 'Endpoints', content: <EndpointsView /> },
          { name: 'deliveries', label: 'Deliveries', content: <DeliveriesView /> },
          { name: 'replays', label: 'Replays', content: <ReplaysView /> },
          { name: 'verify', label: 'Verify', content: <VerifyView /> },
          { name: 'catalogue', label: 'Event catalogue', content: <CatalogueView /> },
        ]}
      />
      {delivery && <DeliveryDrawer key={delivery} id={delivery} />}
      {replay && !delivery && <ReplayDrawer key={replay} id={replay} />}
    </>
  );
}
