import { Money } from '../values/money';

/**
 * A sum below the amounts of a table.
 * @param columns how many columns the table has
 */
export function SumRow({ name, cents, columns }: { name: string; cents: number; columns: number }) {
  return (
    <tr>
      <th colSpan={columns - 1} scope="row" className="at-right">
        {name}
      </th>
      <td className="at-right">
        <Money cents={cents} />
      </td>
    </tr>
  );
}
