import { Text, Title } from '@mantine/core';
import { ScreenLink } from '../parts/url/links';

export function NotFound() {
  return (
    <>
      <Title order={1}>Not found</Title>
      <Text mt="sm">
        There is no page at this address. <ScreenLink screen="">Open the overview</ScreenLink>
      </Text>
    </>
  );
}
