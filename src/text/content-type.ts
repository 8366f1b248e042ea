/** What a Content-Type header names. */
export interface ContentType {
  /** Lowercase, without parameters; "" if the header is empty. */
  readonly mediaType: string;
  /** As it is written, without quotes. */
  readonly charset?: string;
}

export function parseContentType(header: string): ContentType {
  const mediaType = header.split(";", 1)[0]!.trim().toLowerCase();
  const charset = /;\s*charset\s*=\s*(?:["']\s*)?([^\s;"']+)/i.exec(header)?.[1];
  return { mediaType, ...(charset === undefined ? {} : { charset }) };
}
