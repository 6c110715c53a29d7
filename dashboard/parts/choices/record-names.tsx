import { api } from '../../api/client';
import { RecordLink } from '../url/links';
import { nameTruck } from './name-truck';

const PAGE = { params: { query: { limit: 200 } } };
/**
 * Reads names only once. Otherwise a list of many rows would read them again after each change of
 * the account, several times a second.
 */
const ONCE = { enabled: (query: { state: { data: unknown } }) => query.state.data === undefined };

function onceIf(isWanted: boolean) {
  return { enabled: (query: { state: { data: unknown } }) => isWanted && ONCE.enabled(query) };
}

/**
 * The name of a customer. One request reads the names of 200 customers. Each further name needs a
 * request of its own.
 * @param isLink true if a click opens the customer
 */
export function CustomerName({ id, isLink = false }: { id: string | null; isLink?: boolean }) {
  const list = api.useQuery('get', '/customers', PAGE, ONCE);
  const listed = list.data?.data.items.find((customer) => customer.id === id);
  const single = api.useQuery(
    'get',
    '/customers/{id}',
    { params: { path: { id: id ?? '' } } },
    onceIf(id !== null && list.isSuccess && !listed),
  );
  if (id === null) return <>–</>;
  const name = (listed ?? single.data)?.company_name ?? '…';
  if (!isLink) return <>{name}</>;
  return (
    <RecordLink screen="customers" id={id}>
      {name}
    </RecordLink>
  );
}

/** The unit number of a truck. */
export function TruckName({ id }: { id: string | null }) {
  const list = api.useQuery('get', '/trucks', PAGE, ONCE);
  const listed = list.data?.data.items.find((truck) => truck.id === id);
  const single = api.useQuery(
    'get',
    '/trucks/{id}',
    { params: { path: { id: id ?? '' } } },
    onceIf(id !== null && list.isSuccess && !listed),
  );
  if (id === null) return <>–</>;
  const truck = listed ?? single.data;
  return <>{truck ? nameTruck(truck) : '…'}</>;
}

/** The name of a driver. */
export function DriverName({ id }: { id: string | null }) {
  const list = api.useQuery('get', '/drivers', PAGE, ONCE);
  const listed = list.data?.data.items.find((driver) => driver.id === id);
  const single = api.useQuery(
    'get',
    '/drivers/{id}',
    { params: { path: { id: id ?? '' } } },
    onceIf(id !== null && list.isSuccess && !listed),
  );
  if (id === null) return <>–</>;
  return <>{(listed ?? single.data)?.name ?? '…'}</>;
}
