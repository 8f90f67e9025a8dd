# A static, cgo-free binary on an empty base, run without root.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/progrouter ./cmd/server \
 && mkdir -p /out/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/progrouter /progrouter
COPY --from=build --chown=nonroot:nonroot /out/data /data
USER nonroot:nonroot
ENV PROGROUTER_ADDR=0.0.0.0:8080 PROGROUTER_DATA=/data
VOLUME /data
EXPOSE 8080
# The image listens on all addresses, so it refuses to start without
# PROGROUTER_PASSWORD.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["/progrouter", "healthcheck"]
ENTRYPOINT ["/progrouter"]
CMD ["serve"]
