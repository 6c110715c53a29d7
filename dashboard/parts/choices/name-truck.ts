/** Names a truck for people: "Truck 12". A unit number may already begin with "Truck". */
export function nameTruck({ unit_number: number }: { unit_number: string }): string {
  return /^truck\b/i.test(number) ? number : `Truck ${number}`;
}
