import { useDrivers } from './all-records';
import { Select } from './select';

/** Chooses a driver, or none. An inactive driver stays until another one is chosen. */
export function DriverSelect({
  id,
  error,
  onChange,
}: {
  id: string | null;
  error: string | undefined;
  onChange: (id: string | null) => void;
}) {
  const drivers = useDrivers();
  return (
    <Select
      label="Driver"
      placeholder="None"
      searchable
      clearable
      openOnFocus={false}
      nothingFoundMessage="No active driver has this name"
      data={drivers
        .filter((driver) => driver.status === 'active' || driver.id === id)
        .map(({ id: value, name }) => ({ value, label: name }))}
      value={id}
      error={error}
      onChange={onChange}
    />
  );
}
