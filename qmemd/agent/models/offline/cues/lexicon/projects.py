"""What projects are made of, and what happens to them."""

from __future__ import annotations

PROJECTS = {
    "system": """
        api apis service services microservice server servers endpoint endpoints database
        databases db backend frontend queue queues cache table tables schema deploy deploys
        deployment cluster pipeline ci build builds module modules package packages monorepo
        port middleware worker workers cron jobs job token tokens environment staging
        production prod webhook container containers image images app application repo
        repository codebase code client clients sdk cli gateway login auth library branch
        suite rate_limit importer exporter parser controller sensor firmware bootloader
        board project format data dataset model feature flag store index invoice invoices
        checkout payment payments game engine pool logs certificate licence license storage
        bucket replica unit units program plugin customers customer tenants users product
        tests keys secrets column columns header default timestamps records samples sample
        account accounts onboarding search dienst datenbank schnittstelle projekt service_de
        serveur servidor servicio base_de l'api serviço banco_de_dados projet proyecto
        projeto le_code algorithm allocation analysis analytics apps artefact artefacts
        artifact assignment attachment authentication batch batches battery benchmark
        billing binary body cart catalogue chapter chapters chip class classes cohort
        component components compiler compose config configuration connection connections
        console consumer consumers copy course crawler dag dataflow datasets deliverables
        detector device devices domain driver drivers embedding enum env envs etl event
        events evaluator export exports extension fields field film firewall fixtures flow
        flows frame front-end gui handlers hardware heap homepage host hosts http identifier
        import ingestion inputs instance instances installer integration integrations
        interface ip kernel layer layout ledger libraries locale locales log machine main
        manuscript master menu metadata metrics microcontroller network networks nodes
        object orders outbox partition partitions password passwords patient patients
        payload performance period physics pipelines plc player players plugins pods
        processor producers profile profiles programme projects prompt prototype provider
        providers proxy purchase questionnaire reads receiver recipe record refunds region
        regions registration relay repositories request results robot role roles router rows
        routes run runs runtime saves scheduler schemas scraper script scripts season secret
        segment segments serializer session sessions shader shaders shard shards shipment
        simulation simulations sites socket software solver species specimen sprites stack
        state states stock stream streams study subscriber subscription subscriptions
        subsystem survey switch system systems telemetry temperature tenant threads tick
        timer trace traffic train transaction transactions translation translations triggers
        ui upload uploads url urls validation vat vendor vendors versions video views
        visitor visitors vlan volume voltage warehouse web widget wifi workflow workflows
        workspace world zone datenbanken schnittstellen anwendung server-seite pipeline-lauf
        lizenz vertrag kunde kunden spiel contrat jeu aplicación cliente clientes juego
        sistema sistemas contrato banco aplicação aplicativo jogo módulo módulos
    """,
    "tech": """
        postgres postgresql redis kafka docker kubernetes k8s nginx aws gcp azure s3
        terraform react vue angular svelte django flask fastapi rails spring graphql grpc
        rest rabbitmq mysql mongodb elasticsearch opensearch sqlite webpack vite celery helm
        ansible lambda cloudflare stripe oauth jwt sso websocket websockets protobuf openapi
        prisma tailwind git github gitlab pandas numpy spark airflow dbt snowflake bigquery
        argocd prometheus unity godot unreal arduino freertos stm32 esp32 mqtt zigbee cmake
        meson gradle maven npm pnpm nextflow snakemake slurm podman orm orms pytest
        playwright selenium cypress pgbouncer vault swiftui uikit xcode electron htmx node
        bazel actix angularjs apache astro autotools backbone bigtable blender bootstrap
        caddy capacitor cassandra chef circleci clickhouse cockroachdb conda consul coq
        couchdb csv deno dns dotnet duckdb dynamodb ecs eks ember envoy esphome etcd express
        feast fhir flink flutter fluentd freecad gatsby gcc gevent gin gke gorm gtk gunicorn
        hadoop haproxy harmony hibernate hive homeassistant hugo iceberg influxdb insomnia
        ipfs istio jaeger jax jest jooq jquery json junit keras keycloak kubectl laravel
        ldap linkerd llvm loki lit mariadb micropython minio mocha mongo mssql mui nats
        neo4j nest nestjs netlify next.js nextjs nuxt okta onnx opencv opengl opentelemetry
        oracle packer parquet pgvector phoenix phpunit pico poetry postgis preact presto
        pulumi puppet pwa pydantic pygame pyspark pytorch qt quarkus rabbit redux remix rds
        rollup ros rspec rtos ruff rxjs saml sass scikit scikit-learn scylla seaborn
        sequelize shopify signalr sidekiq singlestore solr sonarqube soap sqlalchemy sqlc
        sqs ssr stm32l4 storekit strapi styled-components supabase symfony tekton temporal
        tensorflow tensorrt testcontainers three.js thanos tls tokio traefik trino trpc
        turborepo typeorm uart unittest uvicorn vercel vitest vulkan vuex wasm web3
        webassembly webgl webrtc wordpress xgboost xml yarn zookeeper zod i2c spi usb ble
        lora lorawan modbus canbus
    """,
    "limit": """
        max maximum min minimum limit limits retention quota ms kb mb gb tb days minutes
        hours percent requests rows seconds per_minute mhz khz hz k core cores lines files
        times people levels per_second ttl weeks months % bytes
    """,
    "date": """
        january february april june july august september october november december jan feb
        mar apr jun jul aug sept sep oct nov dec q1 q2 q3 q4 spring summer autumn winter
        easter christmas quarter sprint next_week next_month next_year last_year last_month
        next_quarter this_week tonight tomorrow monday tuesday wednesday thursday friday
        saturday sunday mon tue wed thu fri sat sun weekend march holidays semester 1st 2nd
        3rd fiscal overnight januar februar märz mai juni juli oktober dezember janvier
        février mars avril juin juillet août septembre octobre novembre décembre enero
        febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
        janeiro fevereiro março maio junho julho setembro outubro dezembro montag dienstag
        mittwoch donnerstag freitag
    """,
    "due": """
        due deadline freeze frozen release released launch milestone planned scheduled
        postponed blocked blocker rollout cutover ready ship shipped ships target goal demo
        budget audit version roadmap starts ends goes_live on_hold phase drops frist abgabe
        veröffentlichung geplant prévue prévu livraison date_limite fecha_límite previsto
        prevista prazo entrega lançamento versión versão deadline_is delivery deliverable
        deliver delivered submission submit exam exams kickoff kick-off go-live golive ga
        beta alpha rc1 release_candidate cut code_freeze feature_freeze embargo conference
        camera-ready review_board inspection certification certified_by renewal renewals
        contract phase_2 stage_two mvp poc pilot pilots onboarded postponed_to delayed delay
        slipped pushed_back brought_forward until_then cancelled canceled paused waiting
        waiting_on waiting_for depends_on pending underway in_progress halfway half_done
        almost_done finished done_by out_of_scope in_scope scope priority priorities
        focus_is kpi okr sla slo target_is estimated expected_by approved funding grant
        hiring hired headcount team_size funded investors client stakeholder stakeholders
        legal compliance gdpr auditors auditor regulator law licensing termin fällig
        verschoben stichtag échéance reporté jalon plazo entregar lanzamiento entrega_final
        adiado cronograma
    """,
    "changed": """
        moved migrated migrating moves moving replaced replacing replaces dropped removed
        deleted renamed switched switching rewritten rewriting split merged upgraded upgrade
        bumped decided chose chosen picked adopted pivoted deprecated pulled rotated fixed
        introduced sold ripped ripping converted ported redesigned redesign went agreed
        migration rewrite replacement beschlossen entschieden umgestellt gelöscht
        abgeschaltet migriert ersetzt repoussée décidé migré remplacé supprimé decidimos
        migramos hemos cambiamos congelado mudamos decidido migrado zugestimmt validé
        abandoned absorbed added archived_in backported banned_from bought built bumped_to
        cancelled capped changed cloned closed combined consolidated cut_to cut_over
        decommissioned default_is deferred delayed_by disabled discontinued enabled ended
        expanded extended extracted forked frozen_at generalised grew_from halved
        handed_over hard-coded implemented increased inherited installed joined kept_for
        killed landed launched left limited_to locked lowered lands merged_into modernised
        moved_to opted outsourced parked_for patched phased_out postponed_until quit raised
        rebuilt rebranded recalibrated reduced refactored_into regenerated reimplemented
        relicensed reorganised retired_in reverted rolled_back rolled_out rolling_out
        scrapped selected settled shipped_in shut_down shutting_down signed_off simplified
        spun_off standardised started stays stay_on stopped supported swapped switches
        switch_to takes_over terminated tested trained turned_off turned_on unified unpinned
        updated upgrading vendored voted went_live withdrawn wound_down drained gone
        goes_away going_away replaces_the being_replaced being_rewritten being_moved
        no_longer_supported drop_support support_ends end_of_life eol eingeführt eingestellt
        verkauft verlegt umbenannt ausgetauscht aktualisiert entfernt abgelöst umgezogen
        migrieren remplacée abandonné abandonnée ajouté modifié renommé choisi retiré
        mis_à_jour passé passe_à adopté reemplazado reemplazamos eliminado eliminamos
        cambiado actualizado elegimos abandonamos dejamos renombrado substituído
        substituímos removido removemos trocamos atualizado escolhemos adotamos renomeado
    """,
    "trouble": """
        outage outages incident broken breaks broke fails failed failing failure bug leak
        leaks crash crashes lag lags slow flaky exhausted expired corrupt corrupted lost
        regression timeout stuck useless workaround died missing caused deadlocks vulnerable
        unsupported duplicates limitation overloaded ausfall fehler kaputt panne erreur
        caída falla fallo falha erro accident blocked_by bottleneck breakage breach buggy
        cannot_be collision conflict conflicts corrupted_data cracked crashed crashing dead
        deadlock defect defective degraded drift drifts drops_packets dropped_packets
        duplicate error errors exceeds exhaustion failures false_positives fault faulty
        flake flakes freezes hang hangs hung inconsistent incompatible infected insecure
        intermittent invalid issue jitter known_issue leaking limitation_of memory_leak
        misconfigured mismatch noisy_data off_by_one out_of_memory oom outdated overheats
        overflow overflows overrun packet_loss panic poisoned postmortem_of race_condition
        race rejected_by rejects segfault segfaults shortage short-circuit spike spikes
        stale stolen stuck_at stutters swapped_with theft throttled throttles times_out
        timed_out unavailable unreliable unstable unusable violates violation vulnerability
        wrong_boundary defekt abgestürzt langsam hakt problème lent bogue cassé bloqué lento
        roto bloqueado quebrado travado instável
    """,
}
