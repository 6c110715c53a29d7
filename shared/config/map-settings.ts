import Joi from 'joi';

/** Where the dispatch map gets streets from. */
export interface MapConfig {
  /** Address of a style for MapLibre GL. */
  styleUrl: string;
  /** Every origin that the map may read from. The origin of the style is the first. */
  origins: readonly string[];
}

/**
 * Accepts only origins, without a path. They become part of the dashboard's
 * Content-Security-Policy, where a space or a semicolon would add a source or a directive.
 */
const validateOrigins: Joi.CustomValidator<string> = (text, helpers) => {
  const isEachOrigin = text
    .split(',')
    .every((one) => /^https?:$/.test(parse(one)?.protocol ?? '') && parse(one)?.origin === one);
  const message = '"MAP_ORIGINS" must be origins separated by commas, without paths';
  return isEachOrigin ? text : helpers.message({ custom: message });
};

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

export const MAP_SETTINGS = {
  MAP_STYLE_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description(
      'MapLibre style that the dispatch map draws streets with; its host sees who looks at which place',
    )
    .example('https://tiles.example.com/styles/streets.json'),
  MAP_ORIGINS: Joi.string()
    .custom(validateOrigins)
    .description("further origins from which the map's style reads tiles, sprites and fonts")
    .example('https://tiles.example.com,https://fonts.example.com'),
};

export function readMapConfig({
  MAP_STYLE_URL: styleUrl,
  MAP_ORIGINS: more,
}: {
  MAP_STYLE_URL?: string;
  MAP_ORIGINS?: string;
}): MapConfig | undefined {
  if (!styleUrl) return undefined;
  return { styleUrl, origins: [...new Set([new URL(styleUrl).origin, ...(more?.split(',') ?? [])])] };
}
