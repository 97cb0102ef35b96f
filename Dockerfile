# The program alone, for machines that run containers: the binary of a release, which needs no other file, its licences, and /work,
# where results and data lie. From what `make release` left in dist/:
#
#   docker build --build-arg VERSION=0.1.0 -t bench -f Dockerfile dist
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" bench import reference
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" bench report leaderboard --protocol table2
#
# Results go to results.db and data to data/ in the folder that /work is. The image has no certificates: `bench data fetch` needs
# those of the machine (-v /etc/ssl/certs:/etc/ssl/certs:ro), or data that is there already. It has no interpreters: for methods in
# Python or R, copy /bench into an image that has them (COPY --from=bench /bench /usr/local/bin/bench).
FROM scratch
ARG VERSION
ARG TARGETARCH
COPY bench-${VERSION}-linux-${TARGETARCH} /bench
COPY bench-${VERSION}-licences.txt /licences.txt
# There is no /tmp: temporary files are in the folder that the user gives, and go with the command.
ENV BENCH_DATA=/work/data TMPDIR=/work XDG_CACHE_HOME=/work/data/cache
WORKDIR /work
ENTRYPOINT ["/bench"]
