export const PRODUCT_NAME = 'Tow Dispatch';
