import { Money } from '../values/money';

/**
 * A sum below a table's column of amounts.
 * @param columns number of the table's columns
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
