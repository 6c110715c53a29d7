import type { Schemas } from '../../../api/records';
import { Chart } from '../../../parts/charts/chart';
import { formatCents } from '../../../parts/values/money';

/** The money that customers owe, by days past the due date. */
export function MoneyChart({ overview }: { overview: Schemas['Overview'] }) {
  const { aging } = overview.invoices;
  const amounts = {
    'Not due': aging.current_cents,
    '1–30': aging.days_1_30_cents,
    '31–60': aging.days_31_60_cents,
    '61–90': aging.days_61_90_cents,
    'Over 90': aging.over_90_cents,
  };
  const cents = Object.values(amounts);
  const owed = cents.reduce((sum, amount) => sum + amount);
  const late = owed - aging.current_cents;
  return (
    <Chart
      name="Money by age"
      labelName="Days late"
      kind="bars"
      summary={`Customers owe ${formatCents(owed)}, of which ${formatCents(late)} is late.`}
      empty="No customer owes money."
      labels={Object.keys(amounts)}
      format={formatCents}
      series={[{ name: 'Open amount', tone: 'busy', values: cents }]}
    />
  );
}
