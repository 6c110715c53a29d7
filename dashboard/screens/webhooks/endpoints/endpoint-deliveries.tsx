import { client } from '../../../api/client';
import { PagedTable } from '../../../parts/record/paged-table';
import { SearchLink } from '../../../parts/url/links';
import { DELIVERY_COLUMNS } from '../deliveries/delivery-columns';

/** The deliveries of one endpoint, newest first. */
export function EndpointDeliveries({ endpointId }: { endpointId: string }) {
  return (
    <PagedTable
      label="Deliveries"
      queryKey={['/webhook-deliveries', endpointId]}
      readPage={async (cursor) => {
        const query = { endpoint_id: endpointId, limit: 25, ...(cursor ? { cursor } : {}) };
        const { data } = await client.GET('/webhook-deliveries', { params: { query } });
        return data?.data ?? { items: [], cursor: null };
      }}
      rowKey={({ id }) => id}
      empty="Nothing was sent to this endpoint in the last 30 days. Send test event sends the first."
      columns={[
        {
          header: 'Event type',
          render: ({ id, event_type: type }) => <SearchLink search={{ delivery: id }}>{type}</SearchLink>,
        },
        ...DELIVERY_COLUMNS,
      ]}
    />
  );
}
